// Tests the maintenance job of events and webhooks, which runs each minute.
import assert from "node:assert/strict";
import { rolledBack, type Sql } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { addWebhook } from "../support/receiving.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newCompany();

/** Adds an event with this slot, which is the number of the partition for its day. */
const addEvent = (sql: Sql, slot: number) =>
  sql`
    insert into app.events (slot, id, seq, version, company_id, type, record_id, happened_at)
    values (
      ${slot}, gen_random_uuid(), nextval('app.event_seq'), 0, ${company.id}, 'deal.won', gen_random_uuid(),
      now() - interval '31 days'
    )
  `;

Deno.test("tomorrow's partition of events is emptied before the day begins, and today's events stay", async () => {
  await rolledBack(async (sql) => {
    const [{ today, tomorrow }] = await sql`
      select app.slot_of(clock_timestamp()) as today, app.slot_of(clock_timestamp() + interval '1 day') as tomorrow
    `;
    for (const slot of [today, tomorrow]) await addEvent(sql, slot);
    await sql`
      insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
      values (gen_random_uuid(), gen_random_uuid(), 1, ${tomorrow}, gen_random_uuid(), ${company.id}, 'deal.won', now())
    `;
    // While other tests read the partitions, the job gives up and tries again later.
    for (let is_emptied = false; !is_emptied;) {
      [{ is_emptied }] = await sql`select app.empty_next_day() as is_emptied`;
    }
    const left = await sql`
      select slot from app.events where company_id = ${company.id} and slot in (${today}, ${tomorrow})
      union all select slot from app.open_deliveries where company_id = ${company.id} and slot = ${tomorrow}
    `;
    assert.deepEqual([...new Set(left.map(({ slot }) => slot))], [today]);
  });
});

Deno.test("a webhook with more than 50,000 waiting deliveries catches up from the log, and its position in the log is stored", async () => {
  const [long, short] = [
    await addWebhook(company.id, "https://example.com/long"),
    await addWebhook(company.id, "https://example.com/short"),
  ];
  await rolledBack(async (sql) => {
    for (const [{ id }, count] of [[long, 50_001], [short, 50_000]] as const) {
      await sql`
        insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
        select ${id}, gen_random_uuid(), seq, 0, gen_random_uuid(), ${company.id}, 'deal.won', now()
        from generate_series(1, ${count}::integer) as seq
      `;
    }
    await sql`select app.bound_queues()`;
    const states = await sql`
      select state, catch_up_version is not null as is_kept from webhooks
      where id in (${long.id}, ${short.id}) order by state
    `;
    assert.deepEqual(states.map((each) => ({ ...each })), [
      { state: "catching_up", is_kept: true },
      { state: "on", is_kept: false },
    ]);
  });
});

Deno.test("a deleted webhook leaves no deliveries", async () => {
  await rolledBack(async (sql) => {
    const gone = crypto.randomUUID();
    await sql`
      insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
      values (${gone}, gen_random_uuid(), 1, 0, gen_random_uuid(), ${company.id}, 'deal.won', now())
    `;
    await sql`
      insert into app.deliveries (
        slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, ended_at
      )
      select slot, ${gone}, 1, gen_random_uuid(), ${company.id}, 'deal.won', gen_random_uuid(), now(), 'delivered', now()
      from generate_series(0, 31) as slot
    `;
    const count = async () =>
      (await sql`
        select (select count(*) from app.open_deliveries where webhook_id = ${gone})::integer as open,
          (select count(*) from app.deliveries where webhook_id = ${gone})::integer as ended
      `)[0];
    await sql`select app.delete_left_deliveries()`;
    // The job searches one day of the log each minute.
    assert.deepEqual({ ...await count() }, { open: 0, ended: 31 });
  });
});

Deno.test("the pauses between the attempts of a delivery add up to three days", async () => {
  await withDatabase(async (sql) => {
    const [{ hours, last }] = await sql`
      select extract(epoch from sum(app.retry_pause(attempts))) / 3600 as hours, app.retry_pause(11) as last
      from generate_series(1, 10) as attempts
    `;
    assert.ok(hours > 64 && hours < 79, `${hours} hours`);
    assert.equal(last, null);
  });
});
