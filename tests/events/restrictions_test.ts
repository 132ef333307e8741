// Tests the events about restricted accounts when WhatsApp's newer notice replaces an earlier one
// with the same event name. "The job" in these tests is app.note_passed_times().

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { eventsIn, eventsOf } from "../support/events.ts";
import { committed } from "../database/connections.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, account_id } = company;

const EVENT = "ACCOUNT_RESTRICTION";
const RESTORED = ["account.restored", { notice: { from: EVENT, to: null } }];
const RESTRICTED = ["account.restricted", { notice: { from: null, to: EVENT } }];

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const TOMORROW = ago(-24 * 60);

/** The types and changes of the events that the work writes. */
const changesIn = async (sql: Sql, work: () => Promise<unknown>) =>
  (await eventsIn(sql, company, work)).map(({ type, changes }) => [type, changes]);

/** Applies a notice, as the function that receives events does, and returns its events. */
function told(sql: Sql, at: Date, until: Date, stops_sending = true) {
  const item = { event: EVENT, value: {}, at: at.toISOString(), until: until.toISOString() };
  return changesIn(
    sql,
    () =>
      sql`select app.apply_account_event(${[account_id]}::uuid[], ${
        sql.json({ ...item, stops_sending })
      })`,
  );
}

const runJob = (sql: Sql) => changesIn(sql, () => sql`select app.note_passed_times()`);

test("an account is restored when a newer restriction that is already over replaces its restriction", async (sql) => {
  assert.deepEqual(await told(sql, ago(60), TOMORROW), [RESTRICTED]);
  assert.deepEqual(await told(sql, ago(20), ago(10)), [RESTORED]);
  assert.deepEqual(await told(sql, ago(9), ago(8)), []);
  assert.deepEqual(await runJob(sql), []);
  assert.deepEqual(await told(sql, ago(5), TOMORROW), [RESTRICTED]);
  assert.deepEqual(await told(sql, ago(4), TOMORROW, false), [RESTORED]);
});

test("a restriction that replaces a current restriction creates one event", async (sql) => {
  await told(sql, ago(60), TOMORROW);
  assert.deepEqual(await told(sql, ago(20), TOMORROW), [
    ["account.restricted", { notice: { from: EVENT, to: EVENT } }],
  ]);
});

test("an account is restored and restricted again when a restriction replaces a restriction whose end has no event yet", async (sql) => {
  const ended = {
    ...{ company_id, account_id, event: EVENT, kind: "event", value: sql.json({}) },
    ...{ happened_at: ago(60), received_at: ago(60), until: ago(5), stops_sending: true },
  };
  await sql`insert into account_notices ${sql(ended)}`;
  assert.deepEqual(await told(sql, ago(2), TOMORROW), [RESTORED, RESTRICTED]);
  assert.deepEqual(await runJob(sql), []);

  // If the job has written the event about the end, the restriction creates only its own event.
  await sql`delete from account_notices where company_id = ${company_id}`;
  await sql`insert into account_notices ${sql(ended)}`;
  assert.deepEqual(await runJob(sql), [RESTORED]);
  assert.deepEqual(await told(sql, ago(2), TOMORROW), [RESTRICTED]);
});

Deno.test("an account is restored by the job if its restriction ends before the transaction of the restriction ends", async () => {
  const own = await newCompany();
  const note = (sql: Sql) => sql`select app.note_passed_times()`;
  await committed(async (sql) => {
    await sql`
      select app.apply_account_event(${[own.account_id]}::uuid[], jsonb_build_object(
        'event', ${EVENT}::text, 'value', '{}'::jsonb, 'at', now(), 'until', clock_timestamp(), 'stops_sending', true
      ))
    `;
    // This run of the job cannot see the restriction yet.
    await committed(note);
  });
  const changes = async () =>
    (await committed((sql) => eventsOf(sql, own)))
      .filter(({ type }) => type.startsWith("account."))
      .map(({ type, changes }) => [type, changes]);
  assert.deepEqual(await changes(), [RESTRICTED]);
  await committed(note);
  assert.deepEqual(await changes(), [RESTRICTED, RESTORED]);
  await committed(note);
  assert.deepEqual(await changes(), [RESTRICTED, RESTORED]);
});
