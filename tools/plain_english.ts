// `npm run check` runs this file, which refuses commit titles that are too long. The check also
// refuses phrases that most readers have to read twice, in pages, comments, test names, texts and
// SQL.

import { root } from "../local/checkout.ts";

/**
 * A turn of phrase. A space in `words` means any white space, including a line break within a
 * comment.
 */
interface Phrase {
  words: string;
  instead: string;
}

export const PHRASES: Phrase[] = [
  { words: "(?:of|from) before", instead: "earlier, previous, older, until then" },
  { words: "the ones? since", instead: "the new one, the later one" },
  { words: "who(?:m|so)?ever", instead: "a person who, anyone who" },
  { words: "of whom", instead: "a sentence of its own" },
  { words: "(?:to|of|by|from|with|for|against) who", instead: "to a person who" },
  { words: "nobody's", instead: "no one has" },
  { words: "(?:is|are|of) nobody", instead: "no one is, belongs to no one" },
  { words: "go(?:es)? on being", instead: "is still, stays" },
  { words: "goes on", instead: "continues" },
  {
    words: "stands? (?:alone|at|before|behind|below|beside|between|for|in|on|there|with)",
    instead: "is, means, replaces",
  },
  { words: "keeps? no other", instead: "does not stop others" },
  { words: "in silence", instead: "without an error, without a message" },
  { words: "there to stay", instead: "permanent" },
  { words: "in vain", instead: "without success" },
  { words: "anew", instead: "again" },
  { words: "all the same", instead: "still, anyway" },
  { words: "be(?:comes?|came) of", instead: "happens to, the result of" },
  { words: "tells? of", instead: "reports, says" },
  { words: "to be had", instead: "available" },
];

/** The maximum number of characters of a commit title. */
const LONGEST_TITLE = 72;
/** Titles of earlier commits may be longer. */
const TITLES_SINCE = Date.parse("2026-11-23T06:00:00Z") / 1000;

const READ = /\.(?:md|m?[jt]s|sql|css|ya?ml)$/;
/** Generated files. Also this file and its test, because they contain the phrases. */
const NOT_READ =
  /(?:^|\/)types\.ts$|_baseline\.sql$|^t[a-z]+\/(?:[a-z]+\/)?plain_english(?:_test)?\.ts$/;
const CODE = /\.m?[jt]s$/;
/** The comments and texts of code. Consecutive lines with `//` count as one comment. */
const WRITTEN =
  /(?:\/\/[^\n]*\n?[ \t]*)+|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`/g;

const GAP = String.raw`(?:\s|\*|//|--|#)+`;
const ANY = new RegExp(
  PHRASES.map(({ words }) => String.raw`\b(${words.replaceAll(" ", GAP)})\b`).join("|"),
  "gi",
);

/** A turn of phrase in a file: the line, counted from 1, the words, and what to write instead. */
export interface Finding {
  line: number;
  words: string;
  instead: string;
}

/** The turns of phrase in a file. In code, only comments and texts count. */
export function findPhrases(path: string, text: string): Finding[] {
  const parts = CODE.test(path) ? [...text.matchAll(WRITTEN)] : [{ 0: text, index: 0 }];
  return parts.flatMap((part) =>
    [...part[0].matchAll(ANY)].map((match) => ({
      line: text.slice(0, part.index + match.index).split("\n").length,
      words: match[0].replaceAll(new RegExp(GAP, "g"), " "),
      instead: PHRASES[match.slice(1).findIndex((words) => words !== undefined)].instead,
    }))
  );
}

/**
 * Returns the titles that are too long. Commits earlier than `TITLES_SINCE` do not count.
 * @param log lines of `<author's time> <title>`.
 */
export function longTitles(log: string): string[] {
  return log.split("\n").flatMap((line) => {
    const [, time, title] = /^(\d+) (.*)$/.exec(line) ?? [];
    return Number(time) >= TITLES_SINCE && [...title].length > LONGEST_TITLE ? [title] : [];
  });
}

/** Runs git. @returns git's output, or an empty text if git fails or is missing. */
async function git(...args: string[]): Promise<string> {
  const run = new Deno.Command("git", { args, cwd: root, stderr: "null" }).output();
  const output = await run.catch(() => null);
  return output?.success ? new TextDecoder().decode(output.stdout) : "";
}

if (import.meta.main) {
  const listed = await git("ls-files", "-z", "--cached", "--others", "--exclude-standard");
  const paths = listed.split("\0").filter((path) => READ.test(path) && !NOT_READ.test(path));
  const found = await Promise.all(paths.map(async (path) => {
    // Git still lists a file that was deleted but not committed.
    const text = await Deno.readTextFile(root + path).catch(() => "");
    return findPhrases(path, text).map(({ line, words, instead }) =>
      `${path}:${line}: "${words}" has to be read twice; write: ${instead}`
    );
  }));
  const titles = longTitles(await git("log", "--no-merges", "--format=%at %s"))
    .map((title) => `A commit title has at most ${LONGEST_TITLE} characters: ${title}`);
  const faults = [...found.flat(), ...titles];
  for (const fault of faults) console.error(fault);
  Deno.exit(faults.length > 0 ? 1 : 0);
}
