import assert from "node:assert/strict";
import { anyPhoneNumberId } from "../support/company.ts";
import { listedTemplate, templateChannel } from "../support/template_channel.ts";
import { statement } from "../support/test_stack.ts";
import { admin, bareCompany, json, printed } from "./command.ts";

const TEMPLATES = [
  listedTemplate("order", { language: "es" }),
  listedTemplate("order"),
  listedTemplate("paused", { status: "PAUSED", category: "MARKETING" }),
];

function connect(company: string): string[] {
  const number = ["--phone-number-id", anyPhoneNumberId(), "--display-phone", "+5511987654321"];
  return ["account", "connect", "--company", company, ...number];
}

Deno.test("`template sync` reads every account's templates, and exits with code 1 if one account fails", async () => {
  const [company, other] = [await bareCompany(), await bareCompany()];
  let broken = "";
  await using channel = templateChannel({
    templates: TEMPLATES,
    answer: ({ headers }) =>
      headers.get("Authorization") === `Bearer ${broken}`
        ? new Response("", { status: 503 })
        : null,
  });
  const env = { WHATSAPP_API_URL: channel.url };
  const connected = async (company: string, input: string) =>
    JSON.parse((await admin([...connect(company), "--json"], { input, env })).stdout);
  const [one, two] = [await connected(company, "one"), await connected(company, "two")];
  await connected(other, "three");

  channel.templates = TEMPLATES.slice(1);
  const sync = ["template", "sync", "--company", company];
  const all = await admin(sync, { env });
  assert.deepEqual([all.code, all.stderr], [0, ""]);
  const lines = all.stdout.trimEnd().split("\n").sort();
  assert.deepEqual(lines.map((line) => line.replace(/ \(1\d+\)/, "")).sort(), [
    "+5511987654321: read 2 templates (1 no longer listed).",
    "+5511987654321: read 2 templates.",
  ]);

  broken = "two";
  const failed = await admin([...sync, "--json"], { env });
  assert.deepEqual([failed.code, failed.stderr], [
    1,
    "The templates of 1 of 2 accounts could not be read.\n",
  ]);
  const ends: { account_id: string; outcome: string; failure?: string }[] = JSON.parse(
    failed.stdout,
  );
  const outcomes = Object.fromEntries(ends.map(({ account_id, outcome }) => [account_id, outcome]));
  assert.deepEqual(outcomes, { [one.id]: "done", [two.id]: "failed" });

  const single = await admin(["template", "sync", "--account", one.id], { env });
  assert.equal(single.stdout.trimEnd().split("\n").length, 1);
  const none = await admin(["template", "sync", "--account", crypto.randomUUID()], { env });
  assert.equal(none.code, 1);
  assert.match(none.stderr, /^No connected messaging account has the id /);
});

Deno.test("`template list` shows which templates can be sent, and why the others cannot be sent", async () => {
  const company = await bareCompany();
  const list = ["template", "list", "--company", company];
  assert.match(await printed(list), /^This company has no known templates: npm /);
  await using channel = templateChannel({ templates: TEMPLATES });
  await admin(connect(company), { input: "EAAB", env: { WHATSAPP_API_URL: channel.url } });
  const [heading, ...lines] = (await printed(list)).trimEnd().split("\n");
  assert.match(heading, /^NAME +LANGUAGE +STATUS +CATEGORY +CAN BE SENT$/);
  assert.deepEqual(lines.map((line) => line.split(/ {2,}/).slice(0, 4)), [
    ["order", "es", "APPROVED", "UTILITY"],
    ["order", "pt_BR", "APPROVED", "UTILITY"],
    ["paused", "pt_BR", "PAUSED", "MARKETING"],
  ]);
  assert.match(lines[0], /yes$/);
  assert.match(lines[2], /The template is PAUSED at the channel/);
  const rows = await json(list);
  assert.deepEqual(rows.map(({ why_not }: { why_not: string[] }) => why_not.length), [0, 0, 1]);
  await statement`delete from companies where id = ${company}`;
  assert.match((await admin(list)).stderr, /^No company has the id /);
});
