// Counts the rows that the event log, the delivery log and a replay read. In a company with 100,000
// events, a page reads few rows, and a page with a filter reads at most 5,000 events.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAs, actAsSuperuser, type Sql } from "../support/acting_as.ts";
import { withOwnServer } from "./large_company.ts";

const MANY = 100_000;
/** The number of days in which the events happened. A day has more events than a page may read. */
const DAYS = 10;
/** The number of events in each of 200 other companies, one of which is also tested. */
const FEW = 200;
/** The number of records to which the large company's events belong. */
const RECORDS = 1_000;
/** The number of open deliveries of the first webhook. */
const OPEN = 20_000;
/**
 * The maximum number of rows that a page without a filter may read. A page reads its 51 rows, and
 * also rows of each partition to find the next row.
 */
const PAGE = 250;
/** The maximum number of rows that a page with a filter may read. */
const FILTERED = 5_000 + PAGE;

const FUNCTIONS = `
  create function pg_temp.id_of(kind text, n bigint) returns uuid immutable
    return overlay(overlay(md5(kind || n) placing '4' from 13) placing '8' from 17)::uuid;
`;

/**
 * The companies are numbered 0 (the large company) to 200, and the large company has two webhooks.
 */
const FILL = `
  insert into companies (id, name) select pg_temp.id_of('company', n), 'Company ' || n from generate_series(0, 200) as n;
  insert into api_keys (company_id, name, key_hash, hint, scopes)
  select pg_temp.id_of('company', n), 'Reader', repeat(n::text, 64), 'aaaa', '{read,webhooks}'
  from generate_series(0, 1) as n;
  -- Every event has a lower version than the clock, so readers see all events.
  update app.change_clock set base = 1000000;
  insert into app.events (slot, id, seq, version, company_id, type, record_id, actor, happened_at)
  select
    app.slot_of(at), app.new_event_id(at), nextval('app.event_seq'), place, pg_temp.id_of('company', company),
    case
      when place % 5000 = 7 then 'account.restricted'
      else (array['contact.updated', 'deal.updated', 'message.received', 'message.status_changed'])[1 + place % 4]
    end,
    pg_temp.id_of('record' || company, place % ${RECORDS}), '{ "kind": "platform", "id": null }', at
  from (
    select
      company, place,
      now() - interval '${
  DAYS + 1
} days' + place * interval '${DAYS} days' / case company when 0 then ${MANY} else ${FEW} end as at
    from generate_series(0, 200) as company
    cross join lateral generate_series(1, case company when 0 then ${MANY} else ${FEW} end) as place
  ) as planned
  order by at;
  insert into webhooks (id, company_id, url, types, sealed_secret)
  select pg_temp.id_of('webhook', n), pg_temp.id_of('company', 0), 'https://receiver.example', '{*}', 'sealed'
  from generate_series(0, 1) as n;
  -- The first webhook has not received the newest events. Of the other deliveries, three in each
  -- 20,000 failed.
  create temporary table numbered as
    select *, row_number() over (order by seq desc) as place from app.events
    where company_id = pg_temp.id_of('company', 0);
  insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
  select pg_temp.id_of('webhook', 0), record_id, seq, slot, id, company_id, type, now() from numbered
  where place <= ${OPEN};
  insert into app.deliveries (
    slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, status, ended_at
  )
  select
    slot, pg_temp.id_of('webhook', 0), seq, id, company_id, type, record_id, happened_at,
    case when place % 20000 < 3 then 'failed' else 'delivered' end, 200, happened_at
  from numbered where place > ${OPEN};
`;

/** The number of rows of events and deliveries that this transaction has read. */
async function rowsReadSoFar(sql: Sql): Promise<number> {
  const [{ rows }] = await sql`
    with tables as (
      select inhrelid as id from pg_inherits
      where inhparent in ('app.events'::regclass, 'app.deliveries'::regclass)
      union all
      select 'app.open_deliveries'::regclass
    )
    select sum(pg_stat_get_xact_tuples_returned(id))::int as rows
    from (select id from tables union all select indexrelid from pg_index join tables on id = indrelid) as read
  `;
  return rows;
}

type Value = postgres.ParameterOrJSON<never>;

/**
 * Calls a database function, and returns the function's rows and the number of rows that it read.
 */
async function called(sql: Sql, name: string, given: Record<string, Value>) {
  const before = await rowsReadSoFar(sql);
  const names = Object.keys(given);
  const list = names.map((each, at) => `${each} => $${at + 1}`).join(", ");
  const answer = await sql.unsafe(`select ${name}(${list}) as row`, Object.values(given));
  return { rows: answer.map(({ row }) => row), read: await rowsReadSoFar(sql) - before };
}

const id = async (sql: Sql, kind: string, n = 0) =>
  (await sql`select pg_temp.id_of(${kind}, ${n}) as id`)[0].id;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

async function assertEventsReadPages(sql: Sql, company: 0 | 1) {
  const own = company === 0 ? MANY : FEW;
  const [{ generation }] = await sql`select generation from app.change_clock`;
  const record = await id(sql, `record${company}`, 5);
  const [middle] = await sql`
    select id, version from app.events
    where company_id = ${await id(sql, "company", company)} and version = ${own / 2}
  `;
  await actAs(sql, "api_client", { key_hash: String(company).repeat(64), scope: "read" });
  const cursor = { generation, after_version: middle.version, after_id: middle.id };
  const pages: [given: Record<string, Value>, most: number, found?: number][] = [
    [{}, PAGE, 50],
    [cursor, PAGE, 50],
    [{ max_rows: 0 }, PAGE, 0],
    [{ of_types: ["account.restricted"] }, FILTERED, 1],
    [{ of_types: ["deal.*"] }, FILTERED, 50],
    [{ of_types: ["contact.erased"] }, FILTERED, 0],
    [{ ...cursor, of_types: ["contact.erased"] }, FILTERED, 0],
    [{ of_record: record }, PAGE + own / RECORDS, company === 0 ? 50 : 1],
    [{ of_record: crypto.randomUUID() }, PAGE, 0],
    [{ of_record: record, of_types: ["contact.erased"] }, PAGE + own / RECORDS, 0],
    [{ since: daysAgo(2) }, FILTERED],
    [{ since: daysAgo(8), until: daysAgo(7) }, FILTERED],
    [{ until: daysAgo(DAYS + 0.5) }, FILTERED],
    [{ since: daysAgo(8), of_types: ["contact.erased"] }, FILTERED, 0],
  ];
  for (const [given, most, found] of pages) {
    const { rows, read } = await called(sql, "list_events", { max_rows: 50, ...given });
    const words = `company ${company}, ${JSON.stringify(given)}`;
    assert.ok(read <= most, `${words}: ${read} rows`);
    if (found !== undefined) assert.equal(rows.length - 1, found, words);
  }
  await actAsSuperuser(sql);
}

async function assertDeliveriesReadPages(sql: Sql) {
  const hooks = [await id(sql, "webhook", 0), await id(sql, "webhook", 1)];
  const [oldestOpen] = await sql`
    select app.event_name(event_id) as name from app.open_deliveries order by seq limit 1
  `;
  await actAs(sql, "api_client", { key_hash: "0".repeat(64), scope: "webhooks" });
  const pages: [given: Record<string, Value>, most: number, found: number][] = [
    // The page reads waiting and finished deliveries, and the event of each waiting delivery.
    [{}, 2 * PAGE, 50],
    [{ after_event: oldestOpen.name }, 2 * PAGE, 50],
    [{ state: "waiting" }, FILTERED + PAGE, 50],
    [{ state: "delivered" }, FILTERED, 50],
    [{ state: "failed" }, PAGE, 12],
    [{ state: "undelivered" }, PAGE, 0],
    [{ type: "deal.*" }, 2 * FILTERED, 50],
    [{ type: "contact.erased" }, 2 * FILTERED, 0],
  ];
  for (const [given, most, found] of pages) {
    // `GET /webhooks/:id` counts up to 10,000 open deliveries. The list of deliveries must not
    // count them.
    const { rows: [page], read } = await called(sql, "webhook_deliveries", {
      webhook_id: hooks[0],
      ...given,
    });
    const words = JSON.stringify(given);
    assert.equal(page.data.length, found, words);
    assert.ok(read <= most, `${words}: ${read} rows`);
    const other = await called(sql, "webhook_deliveries", { webhook_id: hooks[1], ...given });
    assert.equal(other.rows[0].data.length, 0);
    assert.ok(other.read <= PAGE, `another webhook, ${words}: ${other.read} rows`);
  }
  await actAsSuperuser(sql);
}

/** A replay of one hour reads the events of that day, of the previous day and of the next day. */
async function assertReplayReadsDays(sql: Sql) {
  const hook = await id(sql, "webhook", 1);
  await sql`
    insert into app.replays (webhook_id, company_id, since, until)
    values (${hook}, ${await id(sql, "company")}, ${daysAgo(5)}, ${daysAgo(5 - 1 / 24)})
  `;
  const before = await rowsReadSoFar(sql);
  await sql`
    select app.fill_from_replay(replays, webhooks, 1000000) from app.replays, webhooks where webhooks.id = webhook_id
  `;
  const [{ count }] = await sql`
    select count(*)::int from app.open_deliveries where webhook_id = ${hook}
  `;
  const read = await rowsReadSoFar(sql) - before - count;
  assert.ok(count > 400 && count < 500, `${count} events are queued`);
  assert.ok(read < 4 * MANY / DAYS, `the replay reads ${read} rows`);
}

Deno.test("each page of the event log and the delivery log reads few rows, with and without statistics", async () => {
  await withOwnServer((open) =>
    open("supabase_admin").begin(async (sql) => {
      await sql.unsafe(FUNCTIONS);
      await sql.unsafe(FILL);
      for (const statistics of [false, true]) {
        if (statistics) await sql`analyze app.events, app.deliveries, app.open_deliveries`;
        await assertEventsReadPages(sql, 0);
        await assertEventsReadPages(sql, 1);
        await assertDeliveriesReadPages(sql);
      }
      await assertReplayReadsDays(sql);
    })
  );
});
