import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { anyPhoneNumberId } from "../support/company.ts";
import { admin, adminAlone, adminRuns, bareCompany } from "./command.ts";

const GROUPS = [
  ...["company", "contacts", "key", "member", "account", "app", "channel", "template", "jobs"],
];
const COMMANDS = [
  ...["company create", "company list", "contacts import", "key create", "key list", "key rotate"],
  ...["key deactivate", "key activate", "key delete", "member add", "member list", "member role"],
  ...["member remove", "account connect", "account list", "account disconnect", "account reseal"],
  ...["app create", "app list", "app rotate", "app delete", "channel events", "channel replay"],
  ...["template sync", "template list", "jobs schedule", "jobs status", "jobs unschedule"],
];

Deno.test("--help explains each command and each group of commands, with examples", async () => {
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

Deno.test("a command that runs in its own process has the correct output and exit code", async () => {
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

Deno.test("without a command, the help appears on stderr", async () => {
  for (const { code, stdout, stderr } of await Promise.all([admin([]), admin(["key"])])) {
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.match(stderr, /^Usage: npm run admin -- /);
  }
});

Deno.test("the value of an unknown option is not printed because it may be a secret", async () => {
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
