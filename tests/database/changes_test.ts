// Tests what the changes feeds rely on: the version of a row, and the tombstone of a deleted row.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import type postgres from "postgres";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
} from "../support/acting_as.ts";
import { addMessage, anyPhone, type Company, newCompany } from "../support/company.ts";
import { withDatabase } from "../support/test_stack.ts";
import { committed } from "./connections.ts";

/** A row of each table that has a feed, and an update of that row. */
const ROWS: [table: string, id: (company: Company) => string, change: string][] = [
  ["contacts", ({ contact_id }) => contact_id, "name = 'Changed'"],
  ["deals", ({ deal_id }) => deal_id, "title = 'Changed'"],
  ["conversations", ({ conversation_id }) => conversation_id, "status = 'pending'"],
];
const TABLES = [...ROWS.map(([table]) => table), "messages"];
/** Tables whose rows have a version but no feed. */
const WITHOUT_FEED = ["company_members", "pipelines", "stages", "teams"];

async function versionOf(sql: postgres.Sql | Sql, table: string, id: string): Promise<number> {
  const [row] = await sql`select version::int as version from ${sql(table)} where id = ${id}`;
  return row.version;
}

/** The version of the rows that this transaction writes. */
async function numberOf(sql: Sql): Promise<number> {
  const [{ number }] = await sql`
    select (base + pg_current_xact_id()::text::bigint)::int as number from app.change_clock
  `;
  return number;
}

Deno.test("a row has the version of the transaction that last wrote it, even within savepoints", async () => {
  const company = await newCompany();
  for (const [table, idOf, change] of ROWS) {
    const id = idOf(company);
    const first = await withDatabase((sql) => versionOf(sql, table, id));
    await rolledBack(async (sql) => {
      const own = await numberOf(sql);
      assert.ok(own > first, table);
      await sql.savepoint((sql) => sql.unsafe(`update ${table} set ${change} where id = '${id}'`));
      assert.equal(await versionOf(sql, table, id), own, table);
    });
    assert.equal(await withDatabase((sql) => versionOf(sql, table, id)), first, table);
  }
  await rolledBack(async (sql) => {
    const message = await addMessage(sql, company);
    assert.equal(await versionOf(sql, "messages", message), await numberOf(sql));
    // A message also updates its conversation.
    const { conversation_id } = company;
    assert.equal(await versionOf(sql, "conversations", conversation_id), await numberOf(sql));
  });
});

Deno.test("every update sets the row's version, and an update that names a wrong version is refused", async () => {
  const company = await newCompany();
  await rolledBack(async (sql) => {
    const own = await numberOf(sql);
    await actAs(sql, "service_role");
    for (const [table, idOf] of ROWS) {
      const id = idOf(company);
      const before = await versionOf(sql, table, id);
      const stale = (sql: Sql) => sql`update ${sql(table)} set version = 1 where id = ${id}`;
      assert.equal(await refusal(sql, stale), "PT412", table);
      assert.equal(await versionOf(sql, table, id), before, table);
      await sql`update ${sql(table)} set version = ${before} where id = ${id}`;
      assert.equal(await versionOf(sql, table, id), own, table);
    }
  });
});

Deno.test("in tables without a feed, every update also sets the row's version, and an update that names a wrong version is refused", async () => {
  const company = await newCompany();
  const { pipeline_id, stage_ids, team_id, member_id } = company;
  const rows: [table: string, column: string, id: string][] = [
    ["pipelines", "id", pipeline_id],
    ["stages", "id", stage_ids[0]],
    ["teams", "id", team_id],
    ["company_members", "user_id", member_id],
  ];
  assert.deepEqual(rows.map(([table]) => table).sort(), WITHOUT_FEED);
  await rolledBack(async (sql) => {
    const own = await numberOf(sql);
    await actAs(sql, "service_role");
    for (const [table, column, id] of rows) {
      const version = async () => {
        const [row] = await sql`
          select version::int as version, updated_at = now() as is_stamped
          from ${sql(table)} where ${sql(column)} = ${id}
        `;
        return [row.version, row.is_stamped];
      };
      const [before] = await version();
      assert.ok(before > 0 && before < own, table);
      const stale = (sql: Sql) =>
        sql`update ${sql(table)} set version = 1, name = 'Stale' where ${sql(column)} = ${id}`;
      assert.equal(await refusal(sql, stale), "PT412", table);
      await sql`update ${sql(table)} set name = 'New' where ${sql(column)} = ${id}`;
      assert.deepEqual(await version(), [own, true], table);
    }
  });
});

Deno.test("API keys and users cannot choose a version, write a tombstone or set the clock of the changes feeds", async () => {
  const company = await newCompany();
  const { id: company_id, member_id } = company;
  const key_hash = await hashKey(company.keys.all);
  await rolledBack(async (sql) => {
    const forbidden = [
      (sql: Sql) => sql`update messages set version = 1`,
      (sql: Sql) => sql`insert into contacts ${sql({ phone: anyPhone(), version: 1 })}`,
      (sql: Sql) => sql`insert into deleted_rows ${sql({ company_id, resource: "contacts" })}`,
      (sql: Sql) => sql`delete from deleted_rows`,
      (sql: Sql) => sql`select * from app.change_clock`,
      (sql: Sql) => sql`update app.change_clock set base = 0`,
      (sql: Sql) => sql`select restart_changes()`,
      (sql: Sql) => sql`select changes_status()`,
      (sql: Sql) => sql`select app.make_feed('a', 'b', 'c')`,
    ];
    for (const work of forbidden) {
      await actAs(sql, "api_client", { key_hash, scope: "write" });
      assert.equal(await refusal(sql, work), "42501", `${work}`);
      await actAsSuperuser(sql);
      await actAsPerson(sql, member_id);
      assert.equal(await refusal(sql, work), "42501", `${work}`);
      await actAsSuperuser(sql);
    }
  });
});

Deno.test("an update cannot change the id or the company of a row", async () => {
  const company = await newCompany();
  const other = await newCompany();
  await rolledBack(async (sql) => {
    await actAs(sql, "service_role");
    const [{ id }] = await sql`
      insert into contacts (company_id, phone) values (${company.id}, ${anyPhone()}) returning id
    `;
    const changes = [
      (sql: Sql) => sql`update contacts set id = gen_random_uuid() where id = ${id}`,
      (sql: Sql) => sql`update contacts set company_id = ${other.id} where id = ${id}`,
    ];
    for (const change of changes) assert.equal(await refusal(sql, change), "PT422");
    await sql`update contacts set id = ${id}, company_id = ${company.id} where id = ${id}`;
  });
});

/** A company's tombstones, without their times. */
async function tombstones(sql: Sql, { id }: Company) {
  const found = await sql`
    select resource, id, version::int as version from deleted_rows where company_id = ${id}
    order by resource, id
  `;
  return found.map(({ resource, id, version }) => [resource, id, version]);
}

Deno.test("a deleted row leaves a tombstone, even if it was deleted by a cascade", async () => {
  const company = await newCompany();
  const [first, second] = await withDatabase((sql) =>
    Promise.all([addMessage(sql, company), addMessage(sql, company)])
  );
  await rolledBack(async (sql) => {
    const own = await numberOf(sql);
    await actAs(sql, "service_role");
    await sql`delete from deals where id = ${company.deal_id}`;
    await sql`delete from conversations where id = ${company.conversation_id}`;
    await sql`delete from contacts where id = ${company.contact_id}`;
    await actAsSuperuser(sql);
    assert.deepEqual(await tombstones(sql, company), [
      ["contacts", company.contact_id, own],
      ["conversations", company.conversation_id, own],
      ["deals", company.deal_id, own],
      ...[first, second].sort().map((id) => ["messages", id, own]),
    ]);
    const [{ isNow }] = await sql`
      select bool_and(deleted_at = now()) as "isNow" from deleted_rows where company_id = ${company.id}
    `;
    assert.ok(isNow);
  });
});

Deno.test("a deleted company leaves no tombstone", async () => {
  const gone = await newCompany();
  await committed(async (sql) => {
    await addMessage(sql, gone);
    await actAs(sql, "service_role");
    await sql`delete from companies where id = ${gone.id}`;
    await actAsSuperuser(sql);
    assert.deepEqual(await tombstones(sql, gone), []);
  });
});

Deno.test("a row that is deleted twice has one tombstone, with the version of the last deletion", async () => {
  const company = await newCompany();
  const id = crypto.randomUUID();
  const addAndDelete = async (sql: Sql) => {
    await sql`insert into contacts (id, company_id, phone) values (${id}, ${company.id}, ${anyPhone()})`;
    await sql`delete from contacts where id = ${id}`;
  };
  const earlier = await committed(async (sql) => {
    await addAndDelete(sql);
    return await numberOf(sql);
  });
  await rolledBack(async (sql) => {
    assert.deepEqual(await tombstones(sql, company), [["contacts", id, earlier]]);
    await addAndDelete(sql);
    assert.deepEqual(await tombstones(sql, company), [["contacts", id, await numberOf(sql)]]);
  });
});

Deno.test("each table with a version records every change, and each table with a feed records every deletion", async () => {
  await withDatabase(async (sql) => {
    const versioned = await sql`
      select relname from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'version'
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'deleted_rows'
      order by 1
    `;
    assert.deepEqual(versioned.map(({ relname }) => relname), [...TABLES, ...WITHOUT_FEED].sort());
    const triggers = await sql`
      select tgrelid::regclass::text || ' ' || tgfoid::regproc as trigger from pg_trigger
      -- Enabled, for all columns and rows. Type 19: for each row, before an update. Type 8: after a delete statement.
      where tgenabled = 'O' and tgattr = '' and tgqual is null
        and (
          tgfoid in ('app.note_change'::regproc, 'app.note_version'::regproc) and tgtype = 19
          or tgfoid = 'app.note_deletion'::regproc and tgtype = 8
        )
      order by 1
    `;
    const expected = TABLES.toSorted().flatMap((table) => [
      `${table} app.note_change`,
      `${table} app.note_deletion`,
    ]);
    expected.push(...WITHOUT_FEED.map((table) => `${table} app.note_version`));
    assert.deepEqual(triggers.map(({ trigger }) => trigger).sort(), expected.sort());
  });
});

Deno.test("the functions that read the clock of the changes feeds are stable, so they use the same snapshot as the query that reads the rows", async () => {
  await withDatabase(async (sql) => {
    const functions = await sql`
      select proname as name, provolatile::text as volatility from pg_proc
      where oid in ('app.change_clock_now'::regproc, 'app.change_clock_for'::regproc) or proname ~ '._changes$'
        and pronamespace = 'public'::regnamespace and proname <> 'restart_changes'
      order by 1
    `;
    assert.deepEqual(functions.map(({ name, volatility }) => `${name} ${volatility}`), [
      ...["change_clock_for s", "change_clock_now s", "contact_changes s"],
      ...["conversation_changes s", "deal_changes s", "message_changes s"],
    ]);
  });
});
