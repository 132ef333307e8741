import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../local/sandbox/rules.ts";
import { anyPhoneNumberId } from "../support/company.ts";
import { admin, adminAlone, adminRuns, bareCompany } from "./command.ts";

const GROUPS = [
  "company",
  "contacts",
  "key",
  "member",
  "account",
  "app",
  "channel",
  "template",
  "jobs",
];
const COMMANDS = [
  "company create",
  "company list",
  "contacts import",
  "key create",
  "key list",
  "key rotate",
  "key deactivate",
  "key activate",
  "key delete",
  "member add",
  "member list",
  "member role",
  "member remove",
  "account connect",
  "account list",
  "account disconnect",
  "account reseal",
  "app create",
  "app list",
  "app rotate",
  "app delete",
  "channel events",
  "channel replay",
  "template sync",
  "template list",
  "jobs schedule",
  "jobs status",
  "jobs unschedule",
];

Deno.test("--help explains every level, with examples", async () => {
  const levels = ["", ...GROUPS, ...COMMANDS];
  const helps = await adminRuns(
    levels.map((level) => [...level.split(" ").filter(Boolean), "--help"]),
  );
  levels.forEach((level, at) => {
    const { code, stdout, stderr } = helps[at];
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, level);
    assert.deepEqual(stdout.startsWith(`Usage: npm run admin -- ${level}`), true, stdout);
    assert.match(stdout, /^Examples?:\n {2}npm run admin -- /m, level);
    if (COMMANDS.includes(level)) assert.match(stdout, /^ {2}--json /m, level);
  });
});

Deno.test("a command is a process that ends by itself, with what the command printed and its code", async () => {
  const company = ["--company", await bareCompany()];
  const number = ["--phone-number-id", anyPhoneNumberId(), "--display-phone", "+15550100"];
  const failing = ["account", "disconnect", crypto.randomUUID()];
  const [connected, ...endings] = await Promise.all([
    adminAlone(["account", "connect", ...company, ...number], { input: SANDBOX_TOKEN }),
    ...[failing, ["compnay"]].map((args) => adminAlone(args)),
  ]);
  assert.deepEqual([connected.code, connected.stderr], [0, ""]);
  assert.deepEqual(endings.map(({ code }) => code), [1, 2]);
  assert.deepEqual(endings, await adminRuns([failing, ["compnay"]]));

  const lists = [
    ...[["key", "list"], ["account", "list"], ["template", "list"]].map((args) => [
      ...args,
      ...company,
    ]),
    ["app", "list", "--json"],
    ["channel", "events", "--since", "1h"],
  ];
  const listed = await Promise.all(lists.map((args) => adminAlone(args)));
  for (const [at, { code, stderr }] of listed.entries()) {
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" }, lists[at].join(" "));
  }
});

Deno.test("without a command, the help is shown on stderr", async () => {
  for (const { code, stdout, stderr } of await Promise.all([admin([]), admin(["key"])])) {
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.match(stderr, /^Usage: npm run admin -- /);
  }
});

Deno.test("wrong usage prints commander's message on one line and exits with 2", async () => {
  const mistakes: [string[], RegExp][] = [
    [["compnay"], /^error: unknown command 'compnay' \(Did you mean company\?\)$/],
    [["company", "list", "--yaml"], /^error: unknown option '--yaml'$/],
    [["company", "list", "--jsn"], /^error: unknown option '--jsn' \(Did you mean --json\?\)$/],
    [["company", "create"], /^error: missing required argument 'name'$/],
    [
      ["company", "create", " "],
      /^error: command-argument value ' ' is invalid for argument 'name'\. It must have 1 to 255 .*\.$/,
    ],
    [
      ["company", "create", "a", "b"],
      /^error: too many arguments for 'create'\. Expected 1 argument but got 2\.$/,
    ],
    [
      ["key", "delete", "7"],
      /^error: command-argument value '7' is invalid for argument 'id'\. It must be a UUID\.$/,
    ],
    [["key", "list", "--json"], /^error: required option '--company <id>' not specified$/],
    [
      ["account", "connect", "--display-phone", "551"],
      /^error: option '--display-phone <e164>' argument '551' is invalid\. It must be in E\.164 .*\.$/,
    ],
    [
      ["jobs", "schedule", "--functions-url", "http://example.com/x"],
      /^error: option '--functions-url <url>' argument 'http:\/\/example\.com\/x' is invalid\. It must be .*https.*\.$/,
    ],
    [["company", "\u001b[2J\u202e"], /^error: unknown command ' \[2J '$/],
  ];
  const endings = await adminRuns(mistakes.map(([args]) => args));
  mistakes.forEach(([, expected], at) => {
    const { code, stdout, stderr } = endings[at];
    const [sentence, ...hint] = stderr.trimEnd().split("\n");
    assert.deepEqual(
      { code, stdout, hint },
      { code: 2, stdout: "", hint: ["Try --help."] },
      stderr,
    );
    assert.match(sentence, expected);
  });
});

Deno.test("the value of an unknown option, which may be a secret, is not printed", async () => {
  const cases = [
    ["--token=SECRET", "--token"],
    ["--token=it's\n=a 'SECRET'", "--token"],
    ["--json=SECRET", "--json"],
    ["-tSECRET", "-t"],
  ];
  const endings = await adminRuns(cases.map(([option]) => ["company", "list", option]));
  cases.forEach(([, shown], at) => {
    const stderr = `error: unknown option '${shown}'\nTry --help.\n`;
    assert.deepEqual(endings[at], { code: 2, stdout: "", stderr });
  });
});
