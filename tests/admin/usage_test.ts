import assert from "node:assert/strict";
import { admin } from "./command.ts";

const GROUPS = ["company", "key", "account"];
const COMMANDS = [
  "company create",
  "company list",
  "key create",
  "key list",
  "key deactivate",
  "key activate",
  "key delete",
  "account connect",
  "account list",
  "account disconnect",
  "account reseal",
];

Deno.test("--help explains every level, with examples", async () => {
  const levels = ["", ...GROUPS, ...COMMANDS];
  await Promise.all(levels.map(async (level) => {
    const { code, stdout, stderr } = await admin([...level.split(" ").filter(Boolean), "--help"]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, level);
    assert.deepEqual(stdout.startsWith(`Usage: npm run admin -- ${level}`), true, stdout);
    assert.match(stdout, /^Examples?:\n {2}npm run admin -- /m, level);
    if (COMMANDS.includes(level)) assert.match(stdout, /^ {2}--json /m, level);
  }));
});

Deno.test("no command at all shows the help on stderr", async () => {
  for (const { code, stdout, stderr } of await Promise.all([admin([]), admin(["key"])])) {
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.match(stderr, /^Usage: npm run admin -- /);
  }
});

Deno.test("wrong usage is said in one sentence and ends with 2", async () => {
  const mistakes: [string[], RegExp][] = [
    [["compnay"], /^Unknown command 'compnay'; did you mean company\?$/],
    [["company", "list", "--yaml"], /^Unknown option '--yaml'\.$/],
    [["company", "create"], /^Missing required argument 'name'\.$/],
    [["company", "create", " "], /^Argument <name> ' ' is invalid: it must have 1 to 255 .*\.$/],
    [["company", "create", "a", "b"], /^Too many arguments for 'create': expected 1 .* got 2\.$/],
    [["key", "delete", "7"], /^Argument <id> '7' is invalid: it must be a UUID\.$/],
    [["key", "list", "--json"], /^Required option '--company <id>' not specified\.$/],
    [["account", "connect", "--display-phone", "551"], /^Option .* it must be in E\.164 .*\.$/],
  ];
  await Promise.all(mistakes.map(async ([args, expected]) => {
    const { code, stdout, stderr } = await admin(args);
    const [sentence, ...hint] = stderr.trimEnd().split("\n");
    assert.deepEqual(
      { code, stdout, hint },
      { code: 2, stdout: "", hint: ["Try --help."] },
      stderr,
    );
    assert.match(sentence, expected);
  }));
});
