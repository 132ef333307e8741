import assert from "node:assert/strict";
import type postgres from "postgres";
import type { AccountNotice } from "../../admin/notices.ts";
import {
  openToken,
  type TokenAccount,
} from "../../supabase/functions/_shared/credentials/credentials.ts";
import { anyPhoneNumberId, newCompany } from "../support/company.ts";
import { credentialsKey, statement, withDatabase } from "../support/test_stack.ts";
import { admin, bareCompany, json, printed } from "./command.ts";

function connect(company: string, phoneNumberId: string, ...more: string[]): string[] {
  const number = ["--phone-number-id", phoneNumberId, "--display-phone", "+5511987654321"];
  return ["account", "connect", "--company", company, ...number, ...more];
}

function anyToken(): string {
  return `EAAB${crypto.randomUUID()}`;
}

/** All columns of a company's accounts. */
async function stored(company: string) {
  return await statement`
    select * from messaging_accounts where company_id = ${company} order by created_at
  `;
}

/** Decrypts the account's stored token. */
async function opened(account: postgres.Row): Promise<string> {
  return await openToken(account.encrypted_token, account as postgres.Row & TokenAccount, [
    credentialsKey,
  ]);
}

Deno.test("`account connect` reads the token from standard input and stores it only in encrypted form", async () => {
  const [company, token, number] = [await bareCompany(), anyToken(), anyPhoneNumberId()];
  const text = await printed(connect(company, number), `\n ${token}\r\n`);
  const [account] = await stored(company);
  assert.deepEqual(
    text,
    `Connected +5511987654321 (${number}) as the account ${account.id}; its token is stored encrypted.\n` +
      "Its templates: read 0 templates.\n",
  );
  assert.deepEqual(JSON.stringify(account).includes(token), false);
  assert.deepEqual(await opened(account), token);

  const [asArgument, withEquals] = await Promise.all([
    admin(connect(company, number, "--token", token)),
    admin(connect(company, number, `--token=${token}`)),
  ]);
  const unknown = { code: 2, stdout: "", stderr: "error: unknown option '--token'\nTry --help.\n" };
  assert.deepEqual([asArgument, withEquals], [unknown, unknown]);
});

Deno.test("reconnecting a number replaces its token and keeps the same account", async () => {
  const [company, number, token] = [await bareCompany(), anyPhoneNumberId(), anyToken()];
  const first = await json(connect(company, number, "--business-account-id", "42"), anyToken());
  assert.deepEqual(first.business_account_id, "42");
  const [before] = await stored(company);

  const second = await json(connect(company, number), token);
  assert.deepEqual(second, first);
  const [connected, ...others] = await stored(company);
  assert.deepEqual(others.length, 0);
  assert.notEqual(connected.encrypted_token, before.encrypted_token);
  assert.deepEqual(await opened(connected), token);

  await printed(["account", "disconnect", first.id]);
  const third = await json(connect(company, number, "--business-account-id", "43"), token);
  assert.deepEqual(third, { ...first, business_account_id: "43" });
  const [again] = await stored(company);
  assert.deepEqual([again.id, again.disconnected_at], [first.id, null]);
  assert.deepEqual(await opened(again), token);
});

Deno.test("a number that belongs to another company cannot be connected until that company disconnects it", async () => {
  const [mine, theirs] = await Promise.all([bareCompany(), bareCompany()]);
  const number = anyPhoneNumberId();
  const account = await json(connect(theirs, number), anyToken());

  const refused = await admin(connect(mine, number), { input: anyToken() });
  const stderr =
    `The phone number id ${number} is connected to another company: disconnect it there first.\n`;
  assert.deepEqual(refused, { code: 1, stdout: "", stderr });
  assert.deepEqual((await stored(mine)).length, 0);

  await printed(["account", "disconnect", account.id]);
  await printed(connect(mine, number), anyToken());
  assert.deepEqual(await admin(connect(theirs, number), { input: anyToken() }), refused);
});

Deno.test("disconnecting an account deletes its token, and disconnecting a disconnected account is not an error", async () => {
  const [company, number] = [await bareCompany(), anyPhoneNumberId()];
  const { id } = await json(connect(company, number), anyToken());
  const first = await printed(["account", "disconnect", id]);
  assert.deepEqual(first, `Disconnected +5511987654321 (${number}); its token is deleted.\n`);
  const [account] = await stored(company);
  assert.deepEqual([account.encrypted_token, account.disconnected_at instanceof Date], [
    null,
    true,
  ]);

  const [text, value] = await Promise.all([
    printed(["account", "disconnect", id]),
    json(["account", "disconnect", id]),
  ]);
  const already = /^\+5511987654321 \(\d+\) is already disconnected, since \d{4}-[^.]* UTC\.\n$/;
  assert.match(text, already);
  assert.deepEqual(new Date(value.disconnected_at), account.disconnected_at);
});

Deno.test("`account list` shows each account and its state, but never its token", async () => {
  const [company, number] = [await bareCompany(), anyPhoneNumberId()];
  const list = ["account", "list", "--company", company];
  const [none, nothing] = await Promise.all([printed(list), json(list)]);
  assert.deepEqual([none, nothing], ["This company has no messaging accounts.\n", []]);

  await statement`
    insert into messaging_accounts (company_id, phone_number_id, display_phone, disconnected_at, created_at)
    values (${company}, '7', '+15550100', '2026-01-02T03:04:05Z', '2026-01-01')
  `;
  const made = await json(connect(company, number, "--business-account-id", "42"), anyToken());
  const [table, rows] = await Promise.all([printed(list), json(list)]);
  assert.deepEqual(table.trimEnd().split("\n").map((line) => line.slice(38)), [
    "PHONE           PHONE NUMBER ID  BUSINESS ACCOUNT ID  STATE         DISCONNECTED",
    `+5511987654321  ${number}  42                   connected`,
    "+15550100       7                unknown              disconnected  2026-01-02 03:04 UTC",
  ]);
  assert.deepEqual(rows.length, 2);
  assert.deepEqual(rows[0], { ...made, notices: [] });
  assert.deepEqual(Object.keys(made).filter((name) => name.includes("token")), []);
});

Deno.test("`account list` and `jobs status` show the channel's current notices", async () => {
  const { id: company, account_id } = await newCompany();
  await withDatabase(async (sql) => {
    const value = { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE\u001b" } };
    const event = { event: "DISABLED_UPDATE", value, at: null };
    await sql`
      select app.apply_account_event(
        array[${account_id}::uuid], ${sql.json({ ...event, stops_sending: true, until: null })}
      )
    `;
    const error = { code: 130429, message: "Rate limit hit", details: "Too fast" };
    await sql`select app.apply_trouble(${account_id}, ${sql.json({ errors: [error], at: null })})`;
  });
  const list = ["account", "list", "--company", company];
  const [text, [account], status, jobs] = await Promise.all([
    printed(list),
    json(list),
    printed(["jobs", "status"]),
    json(["jobs", "status"]),
  ]);
  assert.deepEqual(
    account.notices.map(({ kind, event, stops_sending }: AccountNotice) => [
      ...[kind, event, stops_sending],
    ]).sort(),
    [["event", "DISABLED_UPDATE", true], ["trouble", "130429", false]],
  );
  const own = jobs.notices.filter((notice: AccountNotice) => notice.account_id === account_id);
  assert.deepEqual(own, account.notices);
  for (const shown of [text, status]) {
    assert.match(
      shown,
      /\+15550100 .* DISABLED_UPDATE +stopped or limited +\{"ban_info":\{"waba_ban_state":"DISABLE\\u001b"\}\}\n/,
    );
    assert.match(shown, /\+15550100 .* trouble 130429 +Rate limit hit: Too fast\n/);
  }
});

Deno.test("input that is not a valid token is refused, and nothing is stored", async () => {
  const company = await bareCompany();
  const tokens = [" \n ", "EAAB\nEAAC", "EAAÇ", "E".repeat(4097)];
  const endings = await Promise.all(
    tokens.map((input) => admin(connect(company, anyPhoneNumberId()), { input })),
  );
  const none =
    "The access token is missing: pass it on standard input, or type it at the prompt.\n";
  const wrong = "This is not an access token: it must have at most 4096 ASCII characters " +
    "and no spaces or line breaks.\n";
  assert.deepEqual(endings.map(({ code }) => code), tokens.map(() => 1));
  assert.deepEqual(endings.map(({ stderr }) => stderr), [none, wrong, wrong, wrong]);
  assert.deepEqual((await stored(company)).length, 0);

  const longest = "E".repeat(4096);
  await printed(connect(company, anyPhoneNumberId()), longest);
  const [account] = await stored(company);
  assert.deepEqual(await opened(account), longest);
});

Deno.test("if an account or company is unknown, the error names its id and the command that lists valid ids", async () => {
  const id = crypto.randomUUID();
  const endings = await Promise.all([
    admin(connect(id, anyPhoneNumberId()), { input: anyToken() }),
    admin(["account", "list", "--company", id, "--json"]),
    admin(["account", "disconnect", id]),
  ]);
  const failed = (stderr: string) => ({ code: 1, stdout: "", stderr });
  const noCompany = failed(
    `No company has the id ${id}: npm run admin -- company list shows the ids.\n`,
  );
  const noAccount = failed(
    `No messaging account has the id ${id}: npm run admin -- account list shows the ids.\n`,
  );
  assert.deepEqual(endings, [noCompany, noCompany, noAccount]);
});
