import assert from "node:assert/strict";
import packageJson from "../../package.json" with { type: "json" };
import { root } from "../../local/checkout.ts";
import { adminRuns } from "../admin/command.ts";
import { commandLines, readPage, readPages } from "./pages.ts";

// The changelog may also name removed commands.
const pages = (await readPages()).filter(({ path }) => path !== "CHANGELOG.md");
const commands = pages.flatMap((page) =>
  commandLines(page).map((line) => ({ page: page.path, line }))
);

Deno.test("every `supabase db` and `supabase migration` command on a page has --remote, so it does not run on the local database", () => {
  // `migration new` only creates a file, so it needs no database.
  const found = commands.flatMap(({ page, line }) =>
    Array.from(
      line.matchAll(/\bsupabase (db|migration(?! new)) [^&]*/g),
      ([command]) => [page, command],
    )
  );
  assert.ok(found.length >= 4, "the docs show the commands for push and dump");
  for (const [page, command] of found) assert.match(command, / --remote\b/, page);
});

Deno.test("no shell block on a page has a comment, because zsh would pass the comment to the command", async () => {
  const shown = [...await readPages(), await readPage("client/README.md")].flatMap((page) =>
    page.blocks.filter(({ language }) => language === "sh")
      .flatMap(({ text }) => text.split("\n").map((line) => `${page.path}: ${line}`))
  );
  assert.ok(shown.length > 200, "the pages have shell blocks");
  assert.deepEqual(shown.filter((line) => /\s#/.test(line)), []);
});

Deno.test("every npm script that a docs page names is in package.json", () => {
  const scripts = Object.keys(packageJson.scripts);
  const named = commands.flatMap(({ page, line }) =>
    Array.from(
      line.matchAll(/\bnpm (?:run (?:--silent )?([\w:.-]+)|(start|test)\b)/g),
      ([, script, short]) => ({ page, script: script ?? short }),
    )
  );
  assert.ok(named.length > 20, "the pages name npm scripts");
  for (const { page, script } of named) assert.ok(scripts.includes(script), `${page}: ${script}`);
});

Deno.test("every command line in the docs that runs the operator's command is valid", async () => {
  const shown = commands.flatMap(({ page, line }) => {
    const [, args] = /\bnpm run (?:--silent )?admin -- ([^&|]+)/.exec(line) ?? [];
    return args === undefined || args.trim() === "…" ? [] : [{ page, line, args: words(args) }];
  });
  assert.ok(shown.length >= 10, "the pages show the operator's command");
  // Whether the page only names the command, in the middle of a sentence.
  const isName = ({ args }: { args: string[] }) => /^[a-z ]+$/.test(args.join(" "));
  const endings = await adminRuns(
    shown.map((each) => isName(each) ? [...each.args, "--help"] : each.args),
    { STACK_FILE: "/nowhere/stack.json" },
  );
  shown.forEach((each, at) => {
    const { page, line, args } = each;
    const { code, stdout, stderr } = endings[at];
    if (isName(each)) {
      return assert.match(stdout, new RegExp(`^Usage: npm run admin -- ${args.join(" ")} `), page);
    }
    // If no stack is running, a valid command exits with code 1. An unknown command exits with code
    // 2.
    assert.deepEqual(
      [code, stderr.includes("not running")],
      [1, true],
      `${page}: ${line}\n${stderr}`,
    );
  });
});

/**
 * The arguments in a command line, with each placeholder replaced by a valid value.
 */
function words(args: string): string[] {
  const typed = Array.from(args.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
  return typed.map((word, at) => {
    if (word === "<app_key>") return "5f2f3c1b8e904a579a1e7d1f6f0e2c4b";
    if (word !== "<id>") return word;
    const isChannelId = typed[at - 1] === "--phone-number-id";
    return isChannelId ? "106540352242922" : "7d1f6f0e-2c4b-4a57-9a1e-5f2f3c1b8e90";
  });
}

Deno.test("the README lists the options of npm start", async () => {
  const { text } = await readPage("README.md");
  const listed = Array.from(text.matchAll(/^\| `(--[\w-]+)/gm), ([, option]) => option);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", `${root}local/start.ts`, "--help"],
  }).output();
  const help = new TextDecoder().decode(stdout);
  assert.deepEqual(listed, Array.from(help.matchAll(/^ {2}(--[\w-]+)/gm), ([, option]) => option));
});
