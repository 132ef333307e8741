// Tests how `account connect` handles the channel's responses, and how the command then reads the
// templates.
import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { anyPhoneNumberId } from "../support/company.ts";
import { imageTemplate, listedTemplate, templateChannel } from "../support/template_channel.ts";
import { statement } from "../support/test_stack.ts";
import { admin, bareCompany } from "./command.ts";

function connect(company: string, number: string, ...more: string[]): string[] {
  const phone = ["--phone-number-id", number, "--display-phone", "+5511987654321"];
  return ["account", "connect", "--company", company, ...phone, ...more];
}

async function accountsOf(company: string) {
  return await statement`select * from messaging_accounts where company_id = ${company}`;
}

Deno.test("connecting a number finds its business account, reads the templates and uploads their media", async () => {
  const [company, number] = [await bareCompany(), anyPhoneNumberId()];
  await using channel = templateChannel({ displayPhone: "+55 11 98765-4321" });
  channel.templates = [
    listedTemplate("a"),
    imageTemplate("good", channel.sample("good.png")),
    imageTemplate("bad", channel.sample("bad.exe")),
  ];
  const env = { WHATSAPP_API_URL: channel.url };
  const ending = await admin(connect(company, number), { input: "EAAB", env });
  const [account] = await accountsOf(company);
  assert.equal(account.business_account_id, "42");
  assert.deepEqual(ending, {
    code: 0,
    stdout:
      `Connected +5511987654321 (${number}) as the account ${account.id}; its token is stored encrypted.\n` +
      "Its templates: read 3 templates (3 new), uploaded the media of 1, could not upload the media of " +
      "bad in pt_BR (The sample is text/html, which the channel does not accept in a header of the format " +
      "IMAGE).\n",
    stderr: "",
  });
});

Deno.test("if the channel clearly refuses the account, `account connect` fails and stores nothing", async () => {
  const company = await bareCompany();
  // Without WHATSAPP_API_URL, the command calls the local stack's channel: the sandbox, which
  // accepts one token.
  const env = { WHATSAPP_API_URL: undefined };
  const no = await admin(connect(company, anyPhoneNumberId()), { input: "EAAB", env });
  assert.deepEqual([no.code, no.stdout], [1, ""]);
  assert.match(no.stderr, /^The channel refuses the access token: .*\. Nothing was stored\.\n$/);
  assert.equal((await accountsOf(company)).length, 0);

  const given = ["--business-account-id", "43"];
  await using other = templateChannel({
    answer: ({ url }) => url.includes("phone_numbers") ? Response.json({ data: [] }) : null,
  });
  const there = { input: "EAAB", env: { WHATSAPP_API_URL: other.url } };
  const wrong = await admin(connect(company, "4711", ...given), there);
  const stderr =
    "The phone number 4711 does not belong to business account 43. Nothing was stored.\n";
  assert.deepEqual(wrong, { code: 1, stdout: "", stderr });
  assert.equal((await accountsOf(company)).length, 0);
});

Deno.test("the local stack's sandbox accepts its own token and lists its templates", async () => {
  const [company, number] = [await bareCompany(), anyPhoneNumberId()];
  const env = { WHATSAPP_API_URL: undefined };
  const given = ["--business-account-id", "900000000000001"];
  const ending = await admin(connect(company, number, ...given), { input: SANDBOX_TOKEN, env });
  assert.equal(ending.code, 0, ending.stderr);
  assert.match(ending.stdout, /^Its templates: read \d\d templates \(\d\d new\), uploaded .*\.$/m);
});

Deno.test("an unclear response from the channel causes a warning, and the account is connected anyway", async () => {
  const company = await bareCompany();
  const warnings = async (url: string, ...more: string[]) => {
    const args = connect(company, anyPhoneNumberId(), ...more);
    const env = { WHATSAPP_API_URL: url };
    const { code, stdout, stderr } = await admin(args, { input: "EAAB", env });
    assert.equal(code, 0);
    assert.match(stdout, /^Connected /);
    return stderr;
  };
  // No server listens on this port.
  const away =
    /^Warning: The channel could not be asked about phone number .*\. The account is connected anyway\.\n$/;
  assert.match(await warnings("http://127.0.0.1:9/v26.0"), away);
  await using silent = templateChannel({ businessAccounts: [], displayPhone: "+1 555 0100" });
  assert.match(
    await warnings(silent.url),
    new RegExp(
      "^Warning: .* does not name its business account, which has the templates; .* --business-account-id\\.\n" +
        "Warning: the channel shows \\+1 555 0100 for this number, but --display-phone is \\+5511987654321\\.\n$",
    ),
  );
  await using broken = templateChannel({
    answer: ({ url }) =>
      url.includes("message_templates") ? new Response("", { status: 503 }) : null,
  });
  assert.match(
    await warnings(broken.url, "--business-account-id", "42"),
    /^Warning: its templates are not known yet: The channel did not list .* \(HTTP 503\)\. The jobs try again/,
  );
  assert.equal((await accountsOf(company)).length, 3);
});
