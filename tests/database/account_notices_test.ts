// Operators and the members of a company see the channel's notices about an account. A notice does
// not stop sends.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { nameChannelApp } from "../support/channel_apps.ts";
import { connectAccount, newCompany } from "../support/company.ts";
import { receive } from "./events.ts";
import { ago, type Item, tellOfAccount, tellOfTrouble } from "./hints.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const { id: company_id, account_id } = own;

const inDays = (days: number) => ago(-days * 24 * 60 * 60);

/** A restriction of the account for one week. Fields in `changes` replace the defaults. */
const restriction = (changes: Item = {}): Item => ({
  // The database uses the start of the test's transaction as the current time, so `at` must be
  // earlier.
  ...{ kind: "account", waba: "42", phone_number_id: null, at: ago(60) },
  event: "ACCOUNT_RESTRICTION",
  value: { event: "ACCOUNT_RESTRICTION", restriction_info: [{ expiration: 1795867200 }] },
  ...{ stops_sending: true, until: inDays(7) },
  ...changes,
});

const trouble = (changes: Item = {}): Item => ({
  ...{ kind: "trouble", waba: "42", phone_number_id: own.phone_number_id, at: null },
  errors: [{ code: 130429, message: "Rate limit hit", details: "Throughput has been reached." }],
  ...changes,
});

// deno-lint-ignore no-explicit-any -- rows that a test compares
type Notice = Record<string, any>;

/** The current notices, without the fields that differ in each run. */
async function current(sql: Sql, company: string | null = company_id): Promise<Notice[]> {
  const [{ notices }] = await sql`select current_account_notices(${company}) as notices`;
  return notices.map(({ received_at: _, company_id: __, ...notice }: Notice) => notice);
}

/** All of the company's notices, including those that have ended. */
async function kept(sql: Sql): Promise<Notice[]> {
  return [
    ...await sql`
      select account_id, kind, event, value, happened_at, until, stops_sending from account_notices
      where company_id = ${company_id} order by account_id, kind, event
    `,
  ];
}

/** Makes every notice of the company older by `time`. */
async function pass(sql: Sql, time: string) {
  await sql`
    update account_notices set
      happened_at = happened_at - ${time}::interval, until = until - ${time}::interval
    where company_id = ${company_id}
  `;
}

test("an event about several accounts shows a notice on each account until the notice ends, and disconnects no account", async (sql) => {
  const second = await connectAccount(sql, company_id);
  const ids = [account_id, second.id].sort();
  const item = restriction();
  assert.equal(await tellOfAccount(sql, ids, item), "done");
  const shown = await current(sql);
  assert.deepEqual(shown.map((notice) => notice.account_id), ids);
  const { happened_at, until, account_id: _, ...notice } = shown[0];
  assert.deepEqual(notice, {
    ...{ kind: "event", event: "ACCOUNT_RESTRICTION", value: item.value, stops_sending: true },
    stopped_sends: 0,
  });
  assert.deepEqual([happened_at, until].map((time) => new Date(time).toISOString()), [
    item.at,
    item.until,
  ]);
  const connected = await sql`
    select from messaging_accounts where company_id = ${company_id} and disconnected_at is null
  `;
  assert.equal(connected.length, 2);
  await pass(sql, "8 days");
  assert.deepEqual(await current(sql), []);
  assert.equal((await kept(sql)).length, 2);
});

Deno.test("an account shows the newest event of each kind, even if events are delivered twice or out of order", async () => {
  const items = [
    restriction({ at: ago(20), until: inDays(1) }),
    restriction({ at: ago(10), until: inDays(2), value: { n: 1 } }),
    restriction({ at: ago(10), until: inDays(3), value: { n: 2 } }),
    restriction({ event: "DISABLED_UPDATE", until: null, at: ago(9) }),
    restriction({ event: "DISABLED_UPDATE", until: null, at: ago(5), stops_sending: false }),
  ];
  const ends: Notice[][] = [];
  for (const order of [items, items.toReversed(), [items[3], ...items]]) {
    await rolledBack(async (sql) => {
      for (const item of [...order, ...order]) await tellOfAccount(sql, [account_id], item);
      ends.push(await kept(sql));
    });
  }
  assert.deepEqual(ends[1], ends[0]);
  assert.deepEqual(ends[2], ends[0]);
  assert.deepEqual(
    ends[0].map(({ event, value, stops_sending }) => [event, value.n, stops_sending]),
    [["ACCOUNT_RESTRICTION", 2, true], ["DISABLED_UPDATE", undefined, false]],
  );
});

Deno.test("an event without an end time is shown for a day, or for 30 days if the account cannot send", async () => {
  const ends: [changes: Item, days: number][] = [
    [{ event: "THROUGHPUT_UPGRADE", stops_sending: false, until: null }, 1],
    [{ event: "DISABLED_UPDATE", stops_sending: true, until: null }, 30],
  ];
  for (const [changes, days] of ends) {
    await rolledBack(async (sql) => {
      await tellOfAccount(sql, [account_id], restriction(changes));
      await pass(sql, `${days * 24 - 1} hours`);
      assert.equal((await current(sql)).length, 1);
      await pass(sql, "2 hours");
      assert.equal((await current(sql)).length, 0);
    });
  }
});

test("an account lists each problem of its phone number only once, and no longer than a day", async (sql) => {
  const second = await connectAccount(sql, company_id);
  await tellOfTrouble(sql, account_id, trouble());
  await tellOfTrouble(sql, account_id, trouble());
  await tellOfTrouble(
    sql,
    second.id,
    trouble({
      errors: [
        { code: 131000, message: "First", details: null },
        { code: 131000, message: "Something went wrong", details: null },
        { code: null, message: null, details: "x".repeat(5000) },
      ],
    }),
  );
  const shown = (await current(sql)).map(({ account_id, kind, event, value }) => [
    ...[account_id === own.account_id ? "own" : "second", kind, event],
    ...[value.code, value.message, value.details?.length],
  ]);
  assert.deepEqual(shown.sort(), [
    ["own", "trouble", "130429", 130429, "Rate limit hit", 28],
    ["second", "trouble", "131000", 131000, "Something went wrong", undefined],
    ["second", "trouble", "unknown", null, null, 1000],
  ]);
  await pass(sql, "25 hours");
  assert.deepEqual(await current(sql), []);
});

test("an account keeps its 50 newest notices, and a notice is deleted 30 days after it ends", async (sql) => {
  const began = Date.now();
  const told = (n: number, until: string | null = null) => {
    const at = new Date(began - n * 1000).toISOString();
    return tellOfAccount(sql, [account_id], restriction({ event: `EVENT_${n}`, at, until }));
  };
  // This event is older than the others, but its notice has not ended.
  await told(99, inDays(1));
  for (let n = 1; n <= 60; n++) await told(n);
  const events = (await kept(sql)).map(({ event }) => event);
  assert.equal(events.length, 50);
  assert.ok(events.includes("EVENT_99") && events.includes("EVENT_49"));
  assert.ok(!events.includes("EVENT_50"));
  await pass(sql, "30 days");
  await tellOfTrouble(sql, account_id, trouble());
  assert.deepEqual((await kept(sql)).map(({ event }) => event), ["EVENT_99", "130429"]);
});

test("a problem that occurs again is shown again, although its event has the same bytes", async (sql) => {
  const app = await nameChannelApp(sql, account_id);
  const body = JSON.stringify(trouble());
  /** Makes the event and the notices older by `time`, and then receives the event again. */
  const again = async (time: string, items: Item[] = [trouble()], bytes = body) => {
    await pass(sql, time);
    await sql`
      update channel_events set received_at = received_at - ${time}::interval
      where channel_app_id = ${app.id}
    `;
    return await receive(sql, app, items, { body: bytes });
  };
  const { event_id } = await again("0 s");
  await pass(sql, "2 days");
  assert.deepEqual(await current(sql), []);

  const repeated = await again("2 days");
  assert.deepEqual(
    [repeated.result, repeated.event_id, repeated.state],
    ["repeated", event_id, "done"],
  );
  assert.equal((await current(sql)).length, 1);
  const [{ is_now }] = await sql`
    select received_at = now() as is_now from channel_events where id = ${event_id}
  `;
  assert.equal(is_now, true);
  assert.equal((await sql`select from channel_events where channel_app_id = ${app.id}`).length, 1);

  // Many such events in a short time cause only one write a minute.
  assert.equal((await again("50 s")).event_id, undefined);
  assert.equal((await again("20 s")).event_id, event_id);

  // If an item has an id or a time, WhatsApp has delivered the same event again.
  const status = {
    ...{ kind: "status", waba: "42", phone_number_id: own.phone_number_id, at: ago(60) },
    ...{ id: "wamid.1", status: "sent", mark: null, failure: null, price: null },
  };
  for (const item of [trouble({ at: ago(60) }), status]) {
    const items = [trouble(), item];
    const bytes = JSON.stringify(items);
    await again("0 s", items, bytes);
    assert.deepEqual(await again("2 days", items, bytes), { result: "repeated", state: "done" });
  }
});
