// Tests the maintenance job for events and webhooks, which runs every minute.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAs, actAsSuperuser, refusal, rolledBack, type Sql } from "../support/acting_as.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { addWebhook } from "../support/receiving.ts";
import { until } from "../support/started.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { overlapping } from "./connections.ts";

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

/** Adds this many open deliveries of a webhook. */
const addDeliveries = (sql: Sql, webhook_id: string, count: number) =>
  sql`
    insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
    select ${webhook_id}, gen_random_uuid(), seq, 0, gen_random_uuid(), ${company.id}, 'deal.won', now()
    from generate_series(1, ${count}::integer) as seq
  `;

Deno.test("tomorrow's partition of events is emptied before the day begins, and today's events are kept", async () => {
  // A partition cannot be emptied while another test reads it, so the test tries again. A new
  // attempt has new rows, because midnight may have passed.
  await until(async () => {
    let wasEmptied = false;
    await rolledBack(async (sql) => {
      const [{ today, tomorrow }] = await sql`
        select app.slot_of(clock_timestamp()) as today, app.slot_of(clock_timestamp() + interval '1 day') as tomorrow
      `;
      for (const slot of [today, tomorrow]) await addEvent(sql, slot);
      await sql`
        insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
        values (gen_random_uuid(), gen_random_uuid(), 1, ${tomorrow}, gen_random_uuid(), ${company.id}, 'deal.won', now())
      `;
      // The partition is locked until the rollback, so the test sends these statements together.
      const [[{ is_emptied }], left] = await sql.unsafe(`
        select app.empty_next_day() as is_emptied;
        select slot from app.events where company_id = '${company.id}' and slot in (${today}, ${tomorrow})
        union all select slot from app.open_deliveries where company_id = '${company.id}' and slot = ${tomorrow};
        rollback
      `) as unknown as postgres.RowList<postgres.Row[]>[];
      wasEmptied = is_emptied;
      if (wasEmptied) assert.deepEqual([...new Set(left.map(({ slot }) => slot))], [today]);
    });
    return wasEmptied;
  });
});

Deno.test("a run that continues after midnight keeps the events and deliveries of the new day", async () => {
  await rolledBack(async (sql) => {
    const [{ tomorrow }] = await sql`
      select app.slot_of(clock_timestamp() + interval '1 day') as tomorrow
    `;
    // This version of app.slot_of() acts as if midnight passed after the first call.
    await sql.unsafe(`
      create or replace function app.slot_of(at timestamptz) returns smallint language plpgsql volatile strict
      as $$
      declare
        days constant integer := coalesce(nullif(current_setting('test.days', true), ''), '0');
      begin
        perform set_config('test.days', '1', true);
        return mod(floor(extract(epoch from at) / 86400) + days, 32)::smallint;
      end
      $$
    `);
    await addEvent(sql, tomorrow);
    await sql`
      insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
      values (gen_random_uuid(), gen_random_uuid(), 1, ${tomorrow}, gen_random_uuid(), ${company.id}, 'deal.won', now())
    `;
    const [{ is_emptied }] = await sql`select app.empty_next_day() as is_emptied`;
    const kept = await sql`
      select from app.events where company_id = ${company.id} and slot = ${tomorrow}
      union all select from app.open_deliveries where company_id = ${company.id} and slot = ${tomorrow}
    `;
    assert.deepEqual([is_emptied, kept.length], [false, 2]);
  });
});

Deno.test("a webhook with more than 50,000 waiting deliveries catches up from the event log, and the database stores the webhook's position in the log", async () => {
  const [long, short] = [
    await addWebhook(company.id, "https://example.com/long"),
    await addWebhook(company.id, "https://example.com/short"),
  ];
  await rolledBack(async (sql) => {
    await addDeliveries(sql, long.id, 50_001);
    await addDeliveries(sql, short.id, 50_000);
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

Deno.test("after a restore from a dump, catching up and replays wait for the restart of the change feeds, and then queue all restored events", async () => {
  const company = await newCompany();
  const [behind, replayed, long] = [
    await addWebhook(company.id, "https://example.com/behind", {
      ...{ types: ["deal.won"], catch_up_version: 0, catch_up_seq: 0, state: "catching_up" },
    }),
    await addWebhook(company.id, "https://example.com/replayed", { types: ["deal.won"] }),
    await addWebhook(company.id, "https://example.com/long"),
  ];
  await rolledBack(async (sql) => {
    // A dump contains the versions of the database that was dumped.
    await sql`
      insert into app.events (slot, id, seq, version, company_id, type, record_id, happened_at)
      values (
        app.slot_of(now()), app.new_event_id(now()), nextval('app.event_seq'), 1000000000000,
        ${company.id}, 'deal.won', ${company.deal_id}, now()
      )
    `;
    await sql`
      insert into app.replays (webhook_id, company_id, since, until)
      values (${replayed.id}, ${company.id}, now() - interval '1 day', now() + interval '1 second')
    `;
    await addDeliveries(sql, long.id, 50_001);
    const run = async () => {
      const filled = await sql`
        select app.fill_from_log(id) as result from webhooks where id in (${behind.id}, ${replayed.id})
      `;
      await sql`select app.bound_queues()`;
      const [{ state }] = await sql`select state from webhooks where id = ${long.id}`;
      const queued = await sql`
        select from app.open_deliveries
        where webhook_id in (${behind.id}, ${replayed.id}) and record_id = ${company.deal_id}
      `;
      return { results: filled.map(({ result }) => result), state, queued: queued.count };
    };
    for (let minute = 0; minute < 3; minute++) {
      assert.deepEqual(await run(), { results: ["wait", "wait"], state: "on", queued: 0 });
    }
    // This statement has the same effect on the versions as restart_changes().
    await sql`update app.change_clock set base = base + 10000000000000`;
    const { state, queued } = await run();
    assert.deepEqual({ state, queued }, { state: "catching_up", queued: 2 });
  });
});

Deno.test("a webhook whose queue grows too long at the end of catching up reads the log again from its position", async () => {
  const { id } = await addWebhook(company.id, "https://example.com/ending", {
    ...{ catch_up_version: 5, catch_up_seq: 7, catch_up_until: 9 },
  });
  await rolledBack(async (sql) => {
    await addDeliveries(sql, id, 50_001);
    await sql`select app.bound_queues()`;
    const [hook] = await sql`
      select state, is_queued, catch_up_version::int as version, catch_up_seq::int as seq from webhooks
      where id = ${id}
    `;
    assert.deepEqual({ ...hook }, { state: "catching_up", is_queued: false, version: 5, seq: 7 });
  });
});

/** Switches a webhook on, as an operator does. */
async function switchOn(sql: Sql, webhook_id: string) {
  await actAs(sql, "service_role");
  await sql`select change_webhook(${webhook_id}, '{"state": "on"}')`;
  await actAsSuperuser(sql);
}

/** The number of a webhook's rows in the queue and in the log. */
async function rowsOf(sql: Sql, webhook_id: string) {
  const [counts] = await sql`
    select
      (select count(*)::int from app.open_deliveries where webhook_id = ${webhook_id}) as open,
      (select count(*)::int from app.deliveries where webhook_id = ${webhook_id} and outcome = 'undelivered') as ended
  `;
  return { ...counts };
}

Deno.test("when a key is switched off, its webhooks are off immediately, and a job ends the deliveries of long queues later", async () => {
  const [{ id: created_by_key_id }] = await statement`
    select id from api_keys where company_id = ${company.id} and scopes = '{webhooks}'
  `;
  const { id } = await addWebhook(company.id, "https://example.com/key", { created_by_key_id });
  await rolledBack(async (sql) => {
    await addDeliveries(sql, id, 21_500);
    await sql`update api_keys set is_active = false where id = ${created_by_key_id}`;
    assert.deepEqual(await rowsOf(sql, id), { open: 20_500, ended: 1_000 });
    await actAs(sql, "service_role");
    const [{ hook, page, waiting }] = await sql`
      select get_webhook(${id}) as hook, webhook_deliveries(${id}) -> 'data' -> 0 as page,
        webhook_deliveries(${id}, 'waiting') -> 'data' as waiting
    `;
    assert.deepEqual([hook.state, hook.open_deliveries], ["off", 0]);
    assert.deepEqual([page.state, page.next_attempt_at, page.ended_at], [
      ...["undelivered", null, hook.switched_off_at],
    ]);
    assert.deepEqual(waiting, []);
    await actAsSuperuser(sql);
    await sql`select app.end_left_deliveries()`;
    assert.deepEqual(await rowsOf(sql, id), { open: 500, ended: 21_000 });
    // The webhook must not send the remaining deliveries after it is switched on.
    await switchOn(sql, id);
    assert.deepEqual(await rowsOf(sql, id), { open: 0, ended: 21_500 });
  });
});

Deno.test("a webhook that is switched on while a job judges its expired key stays on", async () => {
  const company = await newCompany();
  const [{ id: key_id }] = await statement`
    update api_keys set expires_at = now() - interval '1 second'
    where company_id = ${company.id} and scopes = '{webhooks}' returning id
  `;
  const webhook = await addWebhook(company.id, "https://receiver.example", {
    created_by_key_id: key_id,
  });
  await overlapping(
    async (sql) => {
      await actAs(sql, "service_role");
      await sql`select change_webhook(${webhook.id}, '{"state": "on"}')`;
    },
    async (sql) => {
      // While another call runs, the function would do nothing.
      await sql`select pg_advisory_xact_lock(hashtext('app.tidy_events'))`;
      await sql`select tidy_events()`;
    },
  );
  const [{ state, created_by_key_id }] = await statement`
    select state, created_by_key_id from webhooks where id = ${webhook.id}
  `;
  assert.deepEqual({ state, created_by_key_id }, { state: "on", created_by_key_id: null });
});

Deno.test("a webhook that is off and has a very long queue cannot be switched on until its deliveries have ended", async () => {
  const { id } = await addWebhook(company.id, "https://example.com/off");
  await rolledBack(async (sql) => {
    await addDeliveries(sql, id, 51_001);
    await sql`select app.switch_off_webhook(${id}, 'failing')`;
    assert.equal(await refusal(sql, (sql) => switchOn(sql, id)), "PT409");
    await sql`select app.end_left_deliveries()`;
    await switchOn(sql, id);
    assert.deepEqual(await rowsOf(sql, id), { open: 0, ended: 51_001 });
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
 * Adds a replay, and one finished delivery in each of the 32 partitions. The update of a deal makes
 * the triggers add open deliveries.
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

Deno.test("a deleted company leaves no events, deliveries or replays", async () => {
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

Deno.test("an erasure removes receivers' responses to events about the person's deleted messages, conversations and deals", async () => {
  const company = await newCompany();
  const { id, contact_id, conversation_id, deal_id } = company;
  await rolledBack(async (sql) => {
    const [{ id: message_id }] = await sql`
      insert into messages (company_id, conversation_id, direction, content)
      values (${id}, ${conversation_id}, 'inbound', 'I am Ada') returning id
    `;
    const [{ id: other_id }] = await sql`
      insert into contacts (company_id, phone) values (${id}, ${anyPhone()}) returning id
    `;
    const tries = JSON.stringify([{ status: 500, answer: "cannot store: Ada" }]);
    for (const record of [message_id, conversation_id, deal_id, other_id]) {
      await sql`
        insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at, tries)
        values (
          gen_random_uuid(), ${record}, 1, 0, gen_random_uuid(), ${id}, 'deal.won', now(), ${tries}::text::jsonb
        )
      `;
      await sql`
        insert into app.deliveries (
          slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, ended_at, tries
        )
        values (
          0, gen_random_uuid(), 1, gen_random_uuid(), ${id}, 'deal.won', ${record}, now(), 'failed', now(),
          ${tries}::text::jsonb
        )
      `;
    }
    await sql`delete from deals where id = ${deal_id}`;
    await sql`delete from conversations where id = ${conversation_id}`;
    await sql`select app.lock_for_erasing(${id}, ${[contact_id]}::uuid[])`;
    await sql`select app.erase_contacts(${id}, ${[contact_id]}::uuid[])`;
    const kept = await sql`
      select record_id from app.open_deliveries where company_id = ${id} and app.has_answer(tries)
      union all select record_id from app.deliveries where company_id = ${id} and app.has_answer(tries)
    `;
    assert.deepEqual(kept.map(({ record_id }) => record_id), [other_id, other_id]);
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
