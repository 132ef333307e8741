// Tests the overview of messaging accounts that a company's members see.

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
import { addChannelApp, type ChannelApp } from "../support/channel_apps.ts";
import {
  addTemplate,
  type Company,
  connectAccount,
  disconnectAccount,
  newCompany,
  newMembers,
} from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";
import { committed, overlapping } from "./connections.ts";
import { type AnyItem, receive } from "./events.ts";
import { ago, tellOfAccount } from "./hints.ts";
import { joinBusinessAccount } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const [agent] = await newMembers(own, "agent");

// deno-lint-ignore no-explicit-any -- rows that a test compares
type Row = Record<string, any>;

/**
 * A company's accounts as a user sees them. Afterwards, the session has the superuser's role again.
 */
async function overview(sql: Sql, company_id = own.id, person = agent): Promise<Row[]> {
  await actAsPerson(sql, person);
  const rows = await sql`select * from messaging_accounts_overview(${company_id})`;
  await actAsSuperuser(sql);
  return [...rows];
}

/** The time of the last event about each account, by account id. */
async function lastEvents(sql: Sql, company = own): Promise<Record<string, Date | null>> {
  const rows = await overview(sql, company.id, company.member_id);
  return Object.fromEntries(rows.map(({ id, last_event_at }) => [id, last_event_at]));
}

/** Creates an app and links it to the account. */
async function named(sql: Sql, account_id: string): Promise<ChannelApp> {
  const app = await addChannelApp(sql);
  await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${account_id}`;
  return app;
}

const about = ({ phone_number_id }: Pick<Company, "phone_number_id">, changes: AnyItem = {}) => ({
  ...{ kind: "status", waba: "42", phone_number_id, id: `wamid.${crypto.randomUUID()}` },
  ...{ status: "delivered", at: ago(), mark: null },
  ...changes,
});

/**
 * The fields of an account that are null because the service has not yet read the account from the
 * channel.
 */
const UNKNOWN = {
  ...{ token_stored_at: null, token_expires_at: null, quality_rating: null, messaging_limit: null },
  checked_at: null,
};

test("every member sees each account with its state, its templates and the channel's notices", async (sql) => {
  const business_account_id = await joinBusinessAccount(sql, own.account_id);
  const read = { business_account_id, language: "en_US" };
  for (const status of ["APPROVED", "APPROVED", "PAUSED", "DELETED"]) {
    await addTemplate(sql, own.id, { ...read, name: crypto.randomUUID(), status });
  }
  await addTemplate(sql, own.id); // a template of another WhatsApp business account
  await sql`
    update template_catalogues set synced_at = now(), failures = 2
    where company_id = ${own.id} and business_account_id = ${business_account_id}
  `;
  const second = await connectAccount(sql, own.id);
  await disconnectAccount(sql, second.id);
  const event = { event: "ACCOUNT_RESTRICTION", stops_sending: true, until: ago(-3600) };
  await tellOfAccount(sql, [own.account_id], { kind: "account", value: {}, at: ago(), ...event });
  await tellOfAccount(sql, [own.account_id], {
    ...{ kind: "account", value: {}, at: ago(100), ...event, event: "OVER", until: ago(50) },
  });
  const [{ now }] = await sql`select now()`;
  const [first, last, ...more] = (await overview(sql)).map(({ jobs_ran_at: _, ...row }) => row);
  assert.equal(more.length, 0);
  const [{ event: name, until }, ...others] = first.notices;
  assert.deepEqual([name, others.length], ["ACCOUNT_RESTRICTION", 0]);
  assert.equal(new Date(until).toISOString(), event.until);
  // The operator reads the same notices.
  await actAs(sql, "service_role");
  const [{ notices }] = await sql`select current_account_notices(${own.id}) as notices`;
  assert.deepEqual(first.notices, notices);
  await actAsSuperuser(sql);
  const [{ connected_at }] = await sql`
    select connected_at from account_connections where account_id = ${own.account_id}
  `;
  assert.deepEqual({ ...first, notices: [] }, {
    id: own.account_id,
    display_phone: "+15550100",
    phone_number_id: own.phone_number_id,
    business_account_id,
    connected_at,
    disconnected_at: null,
    templates_synced_at: now,
    template_sync_failures: 2,
    approved_templates: 2,
    last_event_at: null,
    notices: [],
    has_channel_app: false,
    ...UNKNOWN,
  });
  assert.deepEqual({ ...last, phone_number_id: "" }, {
    id: second.id,
    display_phone: "+15550199",
    phone_number_id: "",
    business_account_id: null,
    ...{ connected_at: now, disconnected_at: now, templates_synced_at: null },
    ...{ template_sync_failures: 0, approved_templates: 0, last_event_at: null, notices: [] },
    has_channel_app: false,
    ...UNKNOWN,
  });
});

test("users see no accounts of other companies, and other roles cannot read the overview", async (sql) => {
  for (const company_id of [other.id, crypto.randomUUID(), null]) {
    await actAsPerson(sql, own.member_id);
    const rows = await sql`select * from messaging_accounts_overview(${company_id})`;
    assert.deepEqual([...rows], []);
  }
  await actAs(sql, "authenticated");
  assert.deepEqual([...await sql`select * from messaging_accounts_overview(${own.id})`], []);
  const asking = (sql: Sql) => sql`select * from messaging_accounts_overview(${own.id})`;
  for (const role of ["anon", "api_client", "api_reader", "channel_client"] as const) {
    await actAs(sql, role);
    assert.equal(await refusal(sql, asking), "42501", role);
  }
});

test("each connected account shows the time of the last event about it", async (sql) => {
  const app = await named(sql, own.account_id);
  await named(sql, other.account_id);
  const second = await connectAccount(sql, own.id);
  await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${second.id}`;
  const [{ now }] = await sql`select now()`;
  const none = { [own.account_id]: null, [second.id]: null };
  const seen = [
    about({ phone_number_id: "1" }),
    about(other), // the other company's account is linked to another app
    about({ phone_number_id: null! }),
    { kind: "unknown", field: "flows" },
    7,
  ];
  await receive(sql, app, seen);
  await receive(sql, app, "no list");
  assert.deepEqual(await lastEvents(sql), none);
  assert.deepEqual(await lastEvents(sql, other), { [other.account_id]: null });

  await receive(sql, app, [about(own), about(own)]);
  assert.deepEqual(await lastEvents(sql), { ...none, [own.account_id]: now });
  // An event about a business account concerns all phone numbers of that business account.
  const business = await joinBusinessAccount(sql, second.id);
  const event = { event: "ACCOUNT_RESTRICTION", value: {}, until: null, stops_sending: false };
  await receive(sql, app, [{
    ...{ kind: "account", waba: business, phone_number_id: null, at: ago(), ...event },
  }]);
  assert.deepEqual(await lastEvents(sql), { [own.account_id]: now, [second.id]: now });
});

test("an account that has lost its number to another company receives no events about that number", async (sql) => {
  const app = await named(sql, own.account_id);
  await disconnectAccount(sql, own.account_id);
  const { phone_number_id } = own;
  const moved = await connectAccount(sql, other.id, { phone_number_id });
  await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${moved.id}`;
  await receive(sql, app, [about(own)]);
  assert.deepEqual(await lastEvents(sql), { [own.account_id]: null });
  assert.ok((await lastEvents(sql, other))[moved.id]);
});

test("the time of the last event is written at most once every ten seconds", async (sql) => {
  const app = await named(sql, own.account_id);
  const noted = async (received_at: string) => {
    await sql`select app.note_last_event(${app.id}, ${sql.json([about(own)])}, ${received_at})`;
    const { [own.account_id]: at } = await lastEvents(sql);
    return at!.toISOString();
  };
  const at = (seconds: string) => `2026-01-01T00:00:${seconds}.000Z`;
  const first = at("20");
  assert.equal(await noted(first), first);
  for (const received of [at("00"), at("29"), at("30")]) {
    assert.equal(await noted(received), first);
  }
  assert.equal(await noted(at("31")), at("31"));

  await disconnectAccount(sql, own.account_id);
  assert.equal(await noted(at("59")), at("31"));
  assert.deepEqual(await overview(sql), [{
    ...(await overview(sql))[0],
    last_event_at: new Date(at("31")),
  }]);
});

Deno.test("app.note_last_event() skips an account that another transaction is disconnecting, and does not wait", async () => {
  const company = await newCompany();
  const app = await withDatabase((sql) => sql.begin((sql) => named(sql, company.account_id)));
  await committed((sql) => receive(sql, app, [about(company)]));
  await committed((sql) =>
    sql`update account_connections set last_event_at = '2026-01-01'
    where account_id = ${company.account_id}`
  );
  const [, held] = await overlapping(
    (sql) => disconnectAccount(sql, company.account_id),
    (sql) =>
      sql`
        select set_config('lock_timeout', '1ms', true),
          app.note_last_event(${app.id}, ${sql.json([about(company)])}, now())
      `,
  );
  assert.equal(held.length, 1);
  const seen = await committed((sql) => lastEvents(sql, company));
  assert.deepEqual(seen, { [company.account_id]: new Date("2026-01-01") });
});
