// Tests that the check for plain English finds each refused phrase and accepts good sentences.

import assert from "node:assert/strict";
import { findPhrases, longTitles, PHRASES } from "../../tools/plain_english.ts";

/** Sentences, each with the words that the check finds in it. */
const REFUSED: Record<string, string> = {
  "The phone or the id of before.": "of before",
  "Keys from before are valid.": "from before",
  "The stage until then, and the one since.": "the one since",
  "It signs in whoever opens it.": "whoever",
  "It is sent to whomever it names.": "whomever",
  "Many people, the first of whom is Ada.": "of whom",
  "Nothing is sent to who has opted out.": "to who",
  "It takes nobody's phone.": "nobody's",
  "A session of nobody is refused.": "of nobody",
  "A person goes on being stopped.": "goes on being",
  "The run goes on.": "goes on",
  "The word that stands in its place.": "stands in",
  "One event keeps no other from its turn.": "keeps no other",
  "It fails in silence.": "in silence",
  "Missing while it is there to stay.": "there to stay",
  "It waits in vain.": "in vain",
  "The session is made anew.": "anew",
  "It is sent all the same.": "all the same",
  "See what became of it.": "became of",
  "An event tells of it.": "tells of",
  "A key of another company is not to be had.": "to be had",
};

/** Sentences in which the check finds nothing. */
const GOOD = [
  ...["A person who opted out gets no marketing template.", "The earlier phone or id."],
  "Before the call, the key is checked; after that, it is used.",
  "The one job continues, and reports what happened to it.",
  ...["Those who sign in, to whom a mail goes, understand it.", "A standing order of 20 records."],
  ...["No one has the phone. The user nobody runs Postgres.", "A renewed key stays valid."],
];

/** The words that the check finds in a file, without their positions. */
const words = (path: string, text: string) => findPhrases(path, text).map(({ words }) => words);

Deno.test("each refused phrase is found in a page, with what to write instead", () => {
  for (const [sentence, found] of Object.entries(REFUSED)) {
    const [{ line, words, instead }, ...others] = findPhrases(
      "docs/a.md",
      `# Title\n\n${sentence}\n`,
    );
    assert.deepEqual([line, words, others], [3, found, []], sentence);
    assert.notEqual(instead, "");
  }
  assert.deepEqual(GOOD.flatMap((sentence) => words("docs/a.md", sentence)), []);
});

Deno.test("a refused phrase is found in SQL, even if it spans two lines of a comment", () => {
  assert.deepEqual(words("a.sql", "-- The phone of\n-- before.\nselect 1;"), ["of before"]);
  assert.deepEqual(words("a.sql", "comment on table a is 'It waits in vain.';"), ["in vain"]);
});

Deno.test("every refused phrase has an example sentence in this file", () => {
  const sentences = Object.keys(REFUSED);
  for (const phrase of PHRASES) {
    const own = new RegExp(String.raw`\b(?:${phrase.words})\b`, "i");
    assert.ok(sentences.some((sentence) => own.test(sentence)), phrase.words);
  }
});

Deno.test("in code, the check reads only comments, test names and texts, even if a phrase spans two lines", () => {
  const code = `
// A key of
// before is valid.
for (const row of before) await read(row, stands.in.place);
/**
 * What becomes
 * of it.
 */
Deno.test("it goes on", () => assert(\`told to
    whoever \${asks}\`));
`;
  assert.deepEqual(
    findPhrases("tests/a_test.ts", code).map(({ line, words }) => [line, words]),
    [[2, "of before"], [6, "becomes of"], [9, "goes on"], [10, "whoever"]],
  );
});

Deno.test("a commit title has at most 72 characters, unless the commit is old", () => {
  const [short, long] = ["x".repeat(72), "é".repeat(73)];
  const now = Date.parse("2026-12-01T00:00:00Z") / 1000;
  const old = Date.parse("2026-11-01T00:00:00Z") / 1000;
  assert.deepEqual(longTitles(`${now} ${short}\n${old} ${long}\n${now} ${long}\n`), [long]);
  assert.deepEqual(longTitles(""), []);
});
