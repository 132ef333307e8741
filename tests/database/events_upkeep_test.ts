// Tests the maintenance job for events and webhooks, which runs every minute.
import assert from "node:assert/strict";
import { actAs, actAsSuperuser, rolledBack, type Sql } from "../support/acting_as.ts";
import { type Company, newCompany } from "../support/company.ts";
import { addWebhook } from "../support/receiving.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newCompany();

/** Adds an event with this slot, which is the number of the partition for the event's day. */
const addEvent = (sql: Sql, slot: number) =>
  sql`
    insert into app.events (slot, id, seq, version, company_id, type, record_id, happened_at)
    values (
      ${slot}, gen_random_uuid(), nextval('app.event_seq'), 0, ${company.id}, 'deal.won', gen_random_uuid(),
      now() - interval '31 days'
    )
  `;

Deno.test("tomorrow's partition of events is emptied before the day begins, and today's events are kept", async () => {
  await rolledBack(async (sql) => {
    const [{ today, tomorrow }] = await sql`
      select app.slot_of(clock_timestamp()) as today, app.slot_of(clock_timestamp() + interval '1 day') as tomorrow
    `;
    for (const slot of [today, tomorrow]) await addEvent(sql, slot);
    await sql`
      insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
      values (gen_random_uuid(), gen_random_uuid(), 1, ${tomorrow}, gen_random_uuid(), ${company.id}, 'deal.won', now())
    `;
    // A partition cannot be emptied while another test reads it, so the test tries again.
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

Deno.test("a webhook with more than 50,000 waiting deliveries catches up from the event log, and the database stores the webhook's position in the log", async () => {
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

/** Checks all 32 partitions of the log, as the job does within 32 minutes. */
async function deleteLeftDeliveries(sql: Sql) {
  for (let slot = 0; slot < 32; slot++) await sql`select app.delete_left_deliveries(${slot})`;
}

/** The number of a company's rows in each table of events and deliveries, without empty tables. */
async function rowsLeft(sql: Sql, company_id: string) {
  const tables = await sql`
    select oid::regclass::text as name from pg_class
    where relnamespace = 'app'::regnamespace and relkind in ('r', 'p') and not relispartition
      and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'company_id')
    order by name
  `;
  const counts = tables.map(({ name }) =>
    `select '${name}' as name, count(*)::int as rows from ${name} where company_id = $1`
  );
  const found = await sql.unsafe(`${counts.join(" union all ")} order by 1`, [company_id]);
  return Object.fromEntries(
    found.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, rows]),
  );
}

/**
 * Adds a replay and two finished deliveries. The update of a deal makes the triggers add open
 * deliveries.
 */
async function fillQueue(sql: Sql, { id, deal_id }: Company, webhook_id: string) {
  await sql`
    insert into app.replays (webhook_id, company_id, since, until)
    values (${webhook_id}, ${id}, now() - interval '1 day', now())
  `;
  await sql`
    insert into app.deliveries (
      slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, ended_at
    )
    select slot, ${webhook_id}, 1, gen_random_uuid(), ${id}, 'deal.won', gen_random_uuid(), now(), 'delivered', now()
    from generate_series(0, 31) as slot
  `;
  await sql`update deals set status = 'won' where id = ${deal_id}`;
}

Deno.test("a deleted webhook leaves no deliveries and no replay, and the events stay", async () => {
  const company = await newCompany();
  const [gone, kept] = [
    await addWebhook(company.id, "https://example.com/gone"),
    await addWebhook(company.id, "https://example.com/kept"),
  ];
  await rolledBack(async (sql) => {
    await fillQueue(sql, company, gone.id);
    const { ["app.events"]: events } = await rowsLeft(sql, company.id);
    await sql`delete from webhooks where id = ${gone.id}`;
    await deleteLeftDeliveries(sql);
    assert.deepEqual(await rowsLeft(sql, company.id), {
      "app.events": events,
      "app.open_deliveries": 1,
    });
    const [open] =
      await sql`select webhook_id from app.open_deliveries where company_id = ${company.id}`;
    assert.equal(open.webhook_id, kept.id);
  });
});

Deno.test("a deleted company leaves no events, deliveries and replays", async () => {
  const company = await newCompany();
  const [{ id: other }, webhook] = [
    await newCompany(),
    await addWebhook(company.id, "https://example.com/gone"),
  ];
  await rolledBack(async (sql) => {
    await fillQueue(sql, company, webhook.id);
    assert.deepEqual(Object.keys(await rowsLeft(sql, company.id)), [
      ...["app.deliveries", "app.events", "app.open_deliveries", "app.replays"],
    ]);
    const ofOther = await rowsLeft(sql, other);
    await actAs(sql, "service_role");
    await sql`delete from companies where id = ${company.id}`;
    await actAsSuperuser(sql);
    await deleteLeftDeliveries(sql);
    assert.deepEqual(await rowsLeft(sql, company.id), {});
    assert.deepEqual(await rowsLeft(sql, other), ofOther);
  });
});

Deno.test("the pauses between the attempts of a delivery add up to about three days", async () => {
  await withDatabase(async (sql) => {
    const [{ hours, last }] = await sql`
      select extract(epoch from sum(app.retry_pause(attempts))) / 3600 as hours, app.retry_pause(11) as last
      from generate_series(1, 10) as attempts
    `;
    assert.ok(hours > 64 && hours < 79, `${hours} hours`);
    assert.equal(last, null);
  });
});
