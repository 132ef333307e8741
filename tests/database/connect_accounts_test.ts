// Only the edge function `settings` can store a token on behalf of a user, and only if the user
// manages the company.

import assert from "node:assert/strict";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { addChannelApp } from "../support/channel_apps.ts";
import { disconnectAccount, newCompany, newMembers } from "../support/company.ts";
import { personToken, rest } from "../support/rest.ts";
import { statement } from "../support/test_stack.ts";
import { committed, overlapping } from "./connections.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const [agent, admin] = await newMembers(own, "agent", "admin");
const SEALED = "a..b.c.d";
const NUMBER = "777000111";
const ADDRESS = "203.0.113.9";

const values = (changes: Record<string, unknown> = {}) => ({
  ...{ company_id: own.id, phone_number_id: NUMBER, display_phone: "+15550123" },
  ...{ encrypted_token: SEALED, ...changes },
});

/** Connects an account in the current role. */
async function call(sql: Sql, changes: Record<string, unknown> = {}) {
  const told = values(changes);
  const named = Object.keys(told).map((argument, i) => `${argument} => $${i + 1}`);
  const [{ answer }] = await sql.unsafe(
    `select connect_messaging_account(${named.join(", ")}) as answer`,
    Object.values(told) as string[],
  );
  return answer;
}

/**
 * Connects an account on behalf of a user, as the edge function `settings` does. Afterwards, the
 * session has the superuser's role again.
 */
async function connect(sql: Sql, person: string, changes: Record<string, unknown> = {}) {
  await actAs(sql, "settings_client", { sub: person, client_address: ADDRESS });
  const answer = await call(sql, changes);
  await actAsSuperuser(sql);
  return answer;
}

/** The history of an account, oldest event first. */
async function events(sql: Sql, account_id: string) {
  const rows = await sql`
    select action, details, actor_kind, actor_id, account_name, client_address from company_events
    where account_id = ${account_id} order by created_at
  `;
  return rows.map((row) => Object.values(row));
}

test("owners and admins can connect and disconnect a number and replace its token, and the history records who made each change", async (sql) => {
  const first = await connect(sql, own.member_id, {
    business_account_id: "42",
    quality_rating: "GREEN",
  });
  assert.deepEqual([first.was_known, first.business_account_id], [false, "42"]);
  const second = await connect(sql, admin, {
    encrypted_token: "e..f.g.h",
    display_phone: "+15550124",
  });
  assert.deepEqual(second, { ...first, was_known: true, display_phone: "+15550124" });
  await actAsPerson(sql, admin);
  await sql`select disconnect_messaging_account(${first.id})`;
  await actAs(sql, "service_role");
  await call(sql);
  await actAsSuperuser(sql);
  assert.deepEqual(await events(sql, first.id), [
    ["account_connected", {}, "person", own.member_id, "+15550123", ADDRESS],
    ["account_token_replaced", {}, "person", admin, "+15550124", ADDRESS],
    ["account_disconnected", {}, "person", admin, "+15550124", null],
    ["account_reconnected", {}, "platform", null, "+15550123", null],
  ]);
  const [{ encrypted_token }] = await sql`
    select encrypted_token from messaging_accounts where id = ${first.id}
  `;
  assert.equal(encrypted_token, SEALED);
  const texts = await sql`select company_events::text as text from company_events`;
  assert.ok(texts.every(({ text }) => !text.includes("..")), "the history contains no token");
});

test("the channel's data about a number and its token is stored, and all members can see this data", async (sql) => {
  const token_expires_at = new Date(Date.now() + 3 * 24 * 60 * 60_000);
  const { id } = await connect(sql, admin, { quality_rating: "YELLOW", token_expires_at });
  await actAsPerson(sql, agent);
  const seen = async () => {
    const [account] = await sql`
      select token_expires_at, quality_rating, messaging_limit from messaging_accounts_overview(${own.id})
      where id = ${id}
    `;
    return Object.values(account);
  };
  assert.deepEqual(await seen(), [token_expires_at, "YELLOW", null]);
  const troubles = await sql`select trouble, until from messaging_account_troubles(${own.id})`;
  assert.deepEqual([...troubles], [{ trouble: "token_expires", until: token_expires_at }]);
  // The job that reads the templates also reads the quality and the limit of the phone numbers.
  await actAsSuperuser(sql);
  await sql`update messaging_accounts set business_account_id = '43' where id = ${id}`;
  await actAs(sql, "channel_client");
  const numbers = [
    { id: NUMBER, quality_rating: "RED", messaging_limit: "TIER_1K" },
    { id: other.phone_number_id, quality_rating: "RED", messaging_limit: null },
  ];
  const [{ noted }] = await sql`select note_numbers(${id}, ${sql.json(numbers)}) as noted`;
  assert.equal(noted, 1);
  await actAsPerson(sql, agent);
  assert.deepEqual(await seen(), [token_expires_at, "RED", "TIER_1K"]);
});

test("agents, members of other companies and former members cannot connect an account", async (sql) => {
  const asking = (changes?: Record<string, unknown>) => (sql: Sql) => call(sql, changes);
  for (const person of [agent, other.member_id, crypto.randomUUID(), undefined]) {
    await actAs(sql, "settings_client", person ? { sub: person } : {});
    assert.equal(await refusal(sql, asking()), "PT403", person);
  }
  await actAs(sql, "settings_client", { sub: own.member_id });
  for (const company_id of [other.id, crypto.randomUUID(), null]) {
    assert.equal(await refusal(sql, asking({ company_id })), "PT403");
  }
  for (
    const role of ["anon", "api_client", "api_reader", "channel_client", "authenticated"] as const
  ) {
    await actAs(sql, role, { sub: own.member_id });
    assert.equal(await refusal(sql, asking()), "42501", role);
  }
});

Deno.test("no user, not even an owner, and no API key can store a token through the Data API", async () => {
  const before =
    await statement`select count(*)::int from messaging_accounts where company_id = ${own.id}`;
  for (
    const token of [
      ...await Promise.all([own.member_id, agent, other.member_id].map(personToken)),
      own.keys.all,
    ]
  ) {
    for (
      const [method, path, json] of [
        ["POST", "/rpc/connect_messaging_account", values()],
        ["POST", "/rpc/create_channel_app", {
          ...{ company_id: own.id, app_key: "k".repeat(20), name: "x" },
          ...{ sealed_secret: SEALED, sealed_verify_token: SEALED },
        }],
        ["POST", "/messaging_accounts", values()],
        ["PATCH", `/messaging_accounts?id=eq.${own.account_id}`, { encrypted_token: SEALED }],
        ["POST", "/account_health", { company_id: own.id, account_id: own.account_id }],
      ] as const
    ) {
      const { status } = await rest(token, method, path, { json });
      assert.ok([401, 403].includes(status), `${method} ${path}: ${status}`);
    }
  }
  assert.deepEqual(
    await statement`select count(*)::int from messaging_accounts where company_id = ${own.id}`,
    before,
  );
});

test("a company cannot connect another company's number until the other company's account is disconnected", async (sql) => {
  const taking = (sql: Sql) => call(sql, { phone_number_id: other.phone_number_id });
  await actAs(sql, "settings_client", { sub: own.member_id });
  assert.equal(await refusal(sql, taking), "PT409");
  await actAsSuperuser(sql);
  await disconnectAccount(sql, other.account_id);
  const { was_known } = await connect(sql, own.member_id, {
    phone_number_id: other.phone_number_id,
  });
  assert.equal(was_known, false);
});

Deno.test("when a number is connected twice simultaneously, the result is one account with the second token", async () => {
  const company = await newCompany();
  const at = { company_id: company.id, phone_number_id: String(Date.now()) };
  const [first, second] = await overlapping(
    (sql) => connect(sql, company.member_id, at),
    (sql) => connect(sql, company.member_id, { ...at, encrypted_token: "e..f.g.h" }),
  );
  assert.equal(first.id, second.id);
  const rows = await statement`
    select encrypted_token from messaging_accounts
    where company_id = ${company.id} and phone_number_id = ${at.phone_number_id}
  `;
  assert.deepEqual([...rows], [{ encrypted_token: "e..f.g.h" }]);
  await committed((sql) => disconnectAccount(sql, first.id));
});

Deno.test("when two users connect a new number simultaneously, the history records the connection and the replacement of the token", async () => {
  const company = await newCompany();
  const [second] = await newMembers(company, "admin");
  const at = { company_id: company.id, phone_number_id: String(Date.now()) };
  const answers = await overlapping(
    (sql) => connect(sql, company.member_id, at),
    (sql) => connect(sql, second, { ...at, encrypted_token: "e..f.g.h" }),
  );
  assert.deepEqual(answers.map(({ was_known }) => was_known), [false, true]);
  const { id } = answers[0];
  const history = await statement`
    select action, actor_id from company_events where account_id = ${id} order by created_at
  `;
  assert.deepEqual(history.map(({ action, actor_id }) => [action, actor_id]), [
    ["account_connected", company.member_id],
    ["account_token_replaced", second],
  ]);
  await committed((sql) => disconnectAccount(sql, id));
});

test("a new token withdraws only the refusals that were caused by the old token or its permissions", async (sql) => {
  const { id } = await connect(sql, admin);
  for (const event of ["190", "200", "10", "100", "token_unusable", "131042"]) {
    await sql`select app.note_refusal(${id}, 'refusal', ${event}, 1)`;
  }
  await sql`select app.note_refusal(${id}, 'reading_refusal', '299', 0)`;
  await connect(sql, admin);
  const left = await sql`select event from account_notices where account_id = ${id}`;
  assert.deepEqual([...left], [{ event: "131042" }]);
  const [{ refused_at }] = await sql`select refused_at from messaging_accounts where id = ${id}`;
  assert.ok(refused_at);
});

/**
 * Creates an app for a company on behalf of a user. Afterwards, the session has the superuser's
 * role again.
 */
async function ownApp(sql: Sql, { id: company_id, member_id } = own) {
  await actAs(sql, "settings_client", { sub: member_id });
  const app_key = `key-${crypto.randomUUID()}`;
  const [{ app }] = await sql`
    select create_channel_app(${company_id}, ${app_key}, 'Ours', ${SEALED}, ${SEALED}) as app
  `;
  await actAsSuperuser(sql);
  return app;
}

test("owners and admins can change the secrets of their own company's apps, but of no other apps", async (sql) => {
  const mine = await ownApp(sql);
  const [theirs, operators] = [await ownApp(sql, other), await addChannelApp(sql)];
  const rotate = async (app_key: string) =>
    (await sql`select rotate_channel_app(${app_key}, 'x..y.z.z') as since`)[0].since;
  const finish = async (app_key: string) =>
    (await sql`select finish_channel_app_rotation(${app_key}) as finished`)[0].finished;
  for (const person of [agent, other.member_id]) {
    await actAs(sql, "settings_client", { sub: person });
    assert.equal(await rotate(mine.app_key), null);
    await actAsPerson(sql, person);
    assert.equal(await finish(mine.app_key), null);
  }
  await actAs(sql, "settings_client", { sub: admin });
  for (const { app_key } of [theirs, operators]) assert.equal(await rotate(app_key), null);
  assert.ok(await rotate(mine.app_key));
  await actAsPerson(sql, admin);
  const read = await sql`select app_key from channel_apps`;
  assert.deepEqual([...read], [{ app_key: mine.app_key }]);
  assert.equal(await finish(mine.app_key), true);
  await actAsPerson(sql, agent);
  assert.deepEqual([...await sql`select app_key from channel_apps`], []);
  await actAs(sql, "settings_client", { sub: agent });
  const creating = (sql: Sql) =>
    sql`select create_channel_app(${own.id}, ${"k".repeat(20)}, 'x', ${SEALED}, ${SEALED})`;
  assert.equal(await refusal(sql, creating), "PT403");
});

test("an account cannot be linked to another company's app, even if the operator connects the account", async (sql) => {
  const { id: channel_app_id } = await ownApp(sql, other);
  const naming = (sql: Sql) => call(sql, { channel_app_id });
  await actAs(sql, "settings_client", { sub: own.member_id });
  assert.equal(await refusal(sql, naming), "PT422");
  await actAs(sql, "service_role");
  assert.equal(await refusal(sql, naming), "PT409");
});

test("a number that is connected without an app is linked to the company's only app", async (sql) => {
  const app = await ownApp(sql);
  const { id } = await connect(sql, admin);
  const [{ channel_app_id }] = await sql`
    select channel_app_id from messaging_accounts where id = ${id}
  `;
  assert.equal(channel_app_id, app.id);
});

for (const isAppFirst of [true, false]) {
  const order = isAppFirst ? "just before" : "just after";
  Deno.test(`a number is linked to its company's first app if the app is registered ${order} the number is connected, in an overlapping transaction`, async () => {
    const company = await newCompany();
    const at = { company_id: company.id, phone_number_id: String(Date.now()) };
    const register = (sql: Sql) => ownApp(sql, company);
    const connecting = (sql: Sql) => connect(sql, company.member_id, at);
    const [{ id: app_id }, { id }] = isAppFirst
      ? await overlapping(register, connecting)
      : (await overlapping(connecting, register)).toReversed();
    const [account] = await statement`
      select channel_app_id from messaging_accounts where id = ${id}
    `;
    assert.equal(account.channel_app_id, app_id);
    await committed((sql) => disconnectAccount(sql, id));
  });
}

test("a company's existing numbers are linked to the company's first app, but not to its second app", async (sql) => {
  const operators = await addChannelApp(sql);
  const { id } = await connect(sql, admin);
  await sql`update messaging_accounts set channel_app_id = ${operators.id} where id = ${id}`;
  const first = await ownApp(sql);
  await ownApp(sql);
  const [account] = await sql`select channel_app_id from messaging_accounts where id = ${id}`;
  assert.equal(account.channel_app_id, first.id);
  // The account also stays linked to the operator's app, so the account still receives events from
  // that app.
  const counts = await sql`
    select channel_app_id as app from account_channel_apps where account_id = ${id}
  `;
  for (const { id } of [operators, first]) assert.ok(counts.some(({ app }) => app === id));
});
