// Tests that a record's events have the order of its changes, even if a trigger of the first change
// makes the second change.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { eventsIn } from "../support/events.ts";
import { committed, overlapping } from "../database/connections.ts";
import { anyMessageId, at, tell } from "../database/inbound.ts";
import { addContact, SENT, settle } from "../database/sends.ts";
import { applyStatus, claimed, report } from "../database/statuses.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, account_id } = company;

/** The types of the events that the work writes about one record, and about no other record. */
async function typesIn(sql: Sql, work: () => Promise<unknown>): Promise<string[]> {
  const events = await eventsIn(sql, company, work);
  assert.equal(new Set(events.map(({ record_id }) => record_id)).size, 1);
  const [{ isOrdered }] = await sql`
    select array_agg(seq order by seq) = array_agg(seq order by happened_at) as "isOrdered"
    from app.events where company_id = ${company_id} and record_id = ${events[0].record_id}
  `;
  assert.ok(isOrdered, "the times of the events have the same order");
  return events.map(({ type }) => type);
}

test("a new contact that inherits an opt-out is created before it is opted out", async (sql) => {
  const phone = anyPhone();
  const archived = await addContact(sql, { company_id, phone, do_not_contact: true });
  await sql`update contacts set archived_at = now() where id = ${archived}`;
  const types = await typesIn(sql, () => addContact(sql, { company_id, phone }));
  assert.deepEqual(types, ["contact.created", "contact.opted_out"]);
});

Deno.test("a contact that inherits the opt-out of a contact archived at the same time is changed before it is opted out", async () => {
  const cases = [["contact.updated", null], ["contact.restored", new Date()]] as const;
  for (const [type, archived_at] of cases) {
    const phone = anyPhone();
    const [id, owner] = await committed(async (sql) => [
      await addContact(sql, { company_id, phone: archived_at ? phone : anyPhone(), archived_at }),
      await addContact(sql, { company_id, phone, do_not_contact: true }),
    ]);
    const [, types] = await overlapping(
      (sql) => sql`update contacts set archived_at = now() where id = ${owner}`,
      (sql) =>
        typesIn(
          sql,
          () => sql`update contacts set phone = ${phone}, archived_at = null where id = ${id}`,
        ),
    );
    assert.deepEqual(types, [type, "contact.opted_out"]);
  }
});

test("a message whose revocation arrived first is received before it is updated", async (sql) => {
  const [{ phone }] = await sql`select phone from contacts where id = ${company.contact_id}`;
  const [id, person] = [anyMessageId(), { phone }];
  const revoked = { kind: "revoke", target: id, at: at(2), person };
  assert.equal(await tell(sql, account_id, revoked), "waiting");
  const types = await typesIn(
    sql,
    () => tell(sql, account_id, { kind: "message", id, at: at(1), person }),
  );
  assert.deepEqual(types, ["message.received", "message.updated"]);
});

test("a message whose delivery report arrived first is accepted before it is delivered", async (sql) => {
  const send = await claimed(sql, company);
  assert.equal(await applyStatus(sql, [account_id], report("delivered", 1)), "waiting");
  const events = await eventsIn(sql, company, () => settle(sql, send.claim_id, SENT));
  assert.deepEqual(events.map(({ type, changes }) => [type, changes!.status]), [
    ["send.settled", undefined],
    ["message.status_changed", { from: "pending", to: "accepted" }],
    ["message.status_changed", { from: "accepted", to: "delivered" }],
  ]);
});

test("no other trigger for the same rows or statements runs before a trigger that writes events", async (sql) => {
  const triggers = await sql`
    select tgrelid::regclass::text as table, tgname as name,
      -- For each row (1), before (2), on insert (4), delete (8) or update (16); see pg_trigger.h.
      tgtype::int & 1 as level, tgtype::int & 28 as operations
    from pg_trigger
    where not tgisinternal and tgtype::int & 2 = 0 and tgrelid in (
      select tgrelid from pg_trigger where tgname ~ '_add_events_'
    )
  `;
  const writers = triggers.filter(({ name }) => name.includes("_add_events_"));
  assert.notEqual(writers.length, 0);
  const earlier = writers.flatMap((writer) =>
    triggers.filter((other) =>
      other.table === writer.table && other.level === writer.level &&
      (other.operations & writer.operations) !== 0 && other.name < writer.name
    ).map(({ name }) => `${name} < ${writer.name}`)
  );
  assert.deepEqual(earlier, []);
});
