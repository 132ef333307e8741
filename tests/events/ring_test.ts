// Tests the daily partitions of the event log. A request for a page with a filter reads a limited
// part of the log. A write succeeds even if no job has emptied the day's partition.

import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { call } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { eventsIn } from "../support/events.ts";
import { until } from "../support/started.ts";
import { statement } from "../support/test_stack.ts";

Deno.test("a filtered page reads a limited number of events, and the next pages return the following events", async () => {
  const company = await newCompany();
  const { read } = company.keys;
  await statement`
    insert into app.events (slot, id, seq, version, company_id, type, record_id, actor, happened_at)
    select app.slot_of(now()), app.new_event_id(now()), nextval('app.event_seq'), app.change_now(), ${company.id},
      'contact.updated', ${company.contact_id}, '{ "kind": "platform", "id": null }', now()
    from generate_series(1, 5200)
  `;
  await statement`update deals set status = 'won' where id = ${company.deal_id}`;
  await until(async () =>
    (await call(read, "GET", `/events?record_id=${company.deal_id}&type=deal.won`)).body.data
      .length === 1
  );
  const first = (await call(read, "GET", "/events?type=deal.won")).body;
  assert.deepEqual([first.data, first.pagination.has_more], [[], true]);
  const second = (await call(
    read,
    "GET",
    `/events?type=deal.won&cursor=${first.pagination.next_cursor}`,
  )).body;
  assert.deepEqual(second.data.map(({ type }: { type: string }) => type), ["deal.won"]);
  assert.equal(second.pagination.has_more, false);
});

Deno.test("a write succeeds even if the day's partition still contains events from 32 days ago", async () => {
  const company = await newCompany();
  await rolledBack(async (sql) => {
    await sql`
      insert into app.events (slot, id, seq, version, company_id, type, record_id, happened_at)
      select app.slot_of(at), app.new_event_id(at), nextval('app.event_seq'), 1, ${company.id}, 'deal.won',
        ${company.deal_id}, at
      from (select now() - interval '32 days' as at) as old
    `;
    const [{ same }] = await sql`
      select app.slot_of(now()) = app.slot_of(now() - interval '32 days') as same
    `;
    assert.equal(same, true);
    const events = await eventsIn(
      sql,
      company,
      () => sql`insert into contacts (company_id, phone) values (${company.id}, ${anyPhone()})`,
    );
    assert.equal(events.length, 1);
    const [{ slots }] = await sql`
      select count(distinct app.slot_of(now() + day * interval '1 day'))::int as slots
      from generate_series(0, 31) as day
    `;
    assert.equal(slots, 32);
  });
});

Deno.test("the id of an event is a UUID of version 7 with the time of the event, and this time determines the partition", async () => {
  const company = await newCompany();
  await rolledBack(async (sql) => {
    await sql`
      insert into contacts (company_id, phone)
      select ${company.id}, phone from unnest(${[anyPhone(), anyPhone()]}::text[]) as phone
    `;
    await sql`update contacts set name = 'Ada' where company_id = ${company.id}`;
    await sql`
      select app.write_event(${company.id}, 'conversation.window_closing', ${company.conversation_id})
    `;
    const events = await sql`
      select
        type, uuid_extract_version(id) as version,
        app.event_time(id) = date_trunc('milliseconds', happened_at) as has_time,
        slot = app.slot_of(happened_at) and slot = app.slot_of(app.event_time(id)) as has_slot,
        left(id::text, 15) = left(app.new_event_id(happened_at)::text, 15) as begins_as_others
      from app.events where company_id = ${company.id} and version = app.change_now()
    `;
    assert.ok(events.length >= 5, JSON.stringify(events));
    for (const { type, ...event } of events) {
      const expected = { version: 7, has_time: true, has_slot: true, begins_as_others: true };
      assert.deepEqual(event, expected, type);
    }
  });
});
