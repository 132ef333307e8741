// A page of changes reads one index range of the rows and one index range of the tombstones. The
// cost of a page does not depend on the company's number of rows or on the page's position. The
// tests count the rows that the feeds read. The tests use the key of a company with many rows. Many
// other companies have few rows.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, rolledBack, type Sql } from "../support/acting_as.ts";
import { type Company, newCompany } from "../support/company.ts";
import { until } from "../support/started.ts";
import { statement } from "../support/test_stack.ts";

const MANY = 3000;
/**
 * The number of rows with the same version. If a page ends between two of these rows, the next page
 * continues by id.
 */
const ALIKE = 300;
const PAGE = 51;

/**
 * Adds rows to this company and to 200 others. The rows have the versions of earlier transactions,
 * because the feeds hide rows with the version of an open transaction.
 */
async function fill(sql: Sql, table: string, { id }: Company) {
  // Triggers are off, because a trigger would update a conversation for every message.
  await sql`set local session_replication_role = replica`;
  await sql`insert into companies (name) select 'Small' from generate_series(1, 200)`;
  const rows = sql`
    select id as company_id, n, (n / ${ALIKE}::int)::bigint as version
    from companies, generate_series(1, case id when ${id} then ${MANY}::int else 5 end) as n
    where id = ${id} or created_at = now()
  `;
  // Deals and messages can refer to nonexistent rows, because foreign keys are not checked here.
  const added: Record<string, postgres.PendingQuery<postgres.Row[]>> = {
    contacts: sql`
      insert into contacts (company_id, version, phone) select company_id, version, '+1555' || 1000000 + n from rows`,
    deals: sql`
      insert into deals (company_id, version, title, contact_id, stage_id)
      select company_id, version, 'Deal', gen_random_uuid(), gen_random_uuid() from rows`,
    conversations: sql`
      insert into conversations (company_id, version, contact_id, messaging_account_id, phone_number_id, status)
      select company_id, version, gen_random_uuid(), gen_random_uuid(), '1', 'closed' from rows`,
    messages: sql`
      insert into messages (company_id, version, conversation_id, direction, content)
      select company_id, version, gen_random_uuid(), 'inbound', 'Hello' from rows`,
  };
  await sql`with rows as (${rows}) ${added[table]}`;
  await sql`
    with rows as (${rows})
    insert into deleted_rows (company_id, version, resource, id, deleted_at)
    select company_id, version, resource, gen_random_uuid(), now()
    from rows, unnest(array['contacts', 'deals', 'conversations', 'messages']) as resource
  `;
  await sql`analyze ${sql(table)}, deleted_rows`;
  await sql`set local session_replication_role = origin`;
}

/**
 * Waits until the feeds show all rows that are committed now. Until then, an open transaction of
 * another test may hide some of these rows.
 */
async function untilShown() {
  const [{ now }] = await statement`select app.change_now() as now`;
  await until(async () => {
    const [{ horizon }] = await statement`select horizon from app.change_clock_now()`;
    return BigInt(horizon) >= BigInt(now);
  });
}

interface Reading {
  /** The number of sequential scans. */
  scans: number;
  /** The number of rows that were read through an index. */
  rows: Record<string, number>;
}

/** The number of rows of a table and of the tombstones that this transaction has read. */
async function readSoFar(sql: Sql, table: string): Promise<Reading> {
  const found = await sql`
    select
      indexrelid::regclass::text as index, pg_stat_get_xact_tuples_returned(indexrelid)::int as rows,
      pg_stat_get_xact_numscans(indrelid)::int as scans
    from pg_index where indrelid in (${table}::regclass, 'deleted_rows'::regclass)
  `;
  return {
    scans: found.reduce((sum, { scans }) => sum + scans, 0),
    rows: Object.fromEntries(found.map(({ index, rows }) => [index, rows])),
  };
}

for (const table of ["contacts", "deals", "conversations", "messages"]) {
  Deno.test(`a page of changes of ${table} scans no table, and reads at most four rows more than its limit`, async () => {
    const company = await newCompany();
    await untilShown();
    const key_hash = await hashKey(company.keys.read);
    await rolledBack(async (sql) => {
      await fill(sql, table, company);
      await actAs(sql, "api_client", { key_hash, scope: "read" });
      const page = async (cursor: { version?: number; id?: string } = {}, max_rows = PAGE) => {
        const before = await readSoFar(sql, table);
        const feed = `${table.replace(/s$/, "")}_changes`;
        const { version: after_version = null, id: after_id = null } = cursor;
        const [clock, ...changes] = await sql`
          select change
          from ${sql(feed)}(null, ${after_version}, ${after_id}, ${max_rows}) as change
        `;
        const after = await readSoFar(sql, table);
        assert.equal(after.scans, before.scans, "no table is scanned");
        const read = Object.entries(after.rows)
          .map(([index, rows]) => [index, rows - before.rows[index]] as const)
          .filter(([, rows]) => rows > 0);
        return {
          clock: clock.change,
          changes: changes.map(({ change }) => change),
          read: Object.fromEntries(read),
        };
      };
      // The rows of the page, the newest row, the newest tombstone, and one extra row from each of
      // the two index ranges that are merged.
      const most = PAGE + 4;
      const assertShort = ({ read }: Awaited<ReturnType<typeof page>>) => {
        const [rows = 0, deleted = 0] = [
          read[`${table}_changes_idx`],
          read["deleted_rows_changes_idx"],
        ];
        assert.ok(rows + deleted <= most, JSON.stringify(read));
        // For each tombstone, the feed looks for a row that has the tombstone's id again. In this
        // test, no row has the id of a tombstone, so the other indexes return no rows.
        const others = Object.keys(read).filter((index) => !index.endsWith("_changes_idx"));
        assert.deepEqual(others, []);
      };
      const first = await page();
      assert.equal(first.changes.length, PAGE);
      assertShort(first);
      assert.ok(first.changes.some(({ deleted_at }) => deleted_at), "some are tombstones");
      const within = await page(first.changes.at(-1));
      assert.equal(within.changes.length, PAGE);
      assertShort(within);
      const late = await page({ version: MANY / ALIKE - 2, id: crypto.randomUUID() });
      assert.equal(late.changes.length, PAGE);
      assertShort(late);
      const own = await page({ version: MANY / ALIKE, id: "ffffffff-ffff-ffff-ffff-ffffffffffff" });
      assert.ok(own.changes.length < 5);
      assertShort(own);
      const none = await page({ version: first.clock.horizon - 1 });
      assert.deepEqual([none.changes, Object.values(none.read)], [[], [1, 1]]);
      const clock = await page({}, 0);
      assert.deepEqual([clock.changes, Object.values(clock.read)], [[], [1, 1]]);
    });
  });
}
