// Tests the commands in docs/deploying.md that back up and restore the database. The tests imitate
// `pg_dump` and `psql`, because npm does not install them.

import assert from "node:assert/strict";
import { pipeline } from "node:stream/promises";
import type { TransactionSql } from "postgres";
import type { Sql } from "../../local/postgres/database.ts";
import { withOwnServer } from "../database/large_company.ts";
import { readPage } from "../docs/pages.ts";
import { anyPhone } from "../support/company.ts";
import { stack, withDatabase } from "../support/test_stack.ts";
import { supabase } from "./cli.ts";

const page = await readPage("docs/deploying.md");
const command = (words: string) => page.blocks.find(({ text }) => text.includes(words))!.text;
const dump = command("supabase db dump ");
const restore = command("session_replication_role");
/** The schemas that the documented backup contains. */
const schemas = dump.match(/--schema (\S+)/)![1].split(",");

Deno.test("the documented backup contains the users, and all schemas of the project that have tables", async () => {
  const own = await withDatabase((sql) =>
    sql`
      select distinct schemaname from pg_tables
      where tableowner = 'postgres' and schemaname <> 'supabase_migrations'
    `
  );
  assert.deepEqual(schemas.toSorted(), [...own.map((row) => row.schemaname), "auth"].sort());
  assert.deepEqual(command("pg_dump ").match(/--schema '(\S+)'/)![1].split("|"), schemas);
});

Deno.test("the CLI dumps the documented schemas, and disables triggers as the documented restore does", async () => {
  const [, flags] = dump.match(/supabase (db dump .*) -f /)!;
  const url = `--remote=${stack.database_url}?sslmode=disable`;
  const args = flags.split(" ").map((flag) => flag === "--remote" ? url : flag);
  const script = await supabase([...args, "--dry-run"]);
  assert.ok(script.includes(`--schema "${schemas.join("|")}"`), script);
  const disabled = "set session_replication_role = replica";
  assert.ok(script.toLowerCase().includes(disabled), script);
  assert.ok(restore.includes(disabled));
});

Deno.test("after a restore of the documented backup, no row is missing, even if jobs have already run there, and an erased person's opt-out still counts", async () => {
  await withMigratedDatabase(async (original) => {
    const phone = anyPhone();
    const [company] = await original`insert into companies (name) values ('Ours') returning id`;
    const erased = await doNotContact(original, company.id, phone, true);
    await original`select app.erase_contacts(${company.id}, array[${erased.id}]::uuid[])`;
    await runJobs(original);
    const copied = await rowCounts(original);
    assert.equal(copied["app.kept_wishes"], 1);

    await withMigratedDatabase(async (restored) => {
      await runJobs(restored);
      const statements = Array.from(restore.matchAll(/-c '(.*)'/g), ([, statement]) => statement);
      await restored.begin(async (sql) => {
        for (const statement of statements) await sql.unsafe(statement);
        assert.deepEqual(await rowCounts(sql), {}, "the restore would add rows to these tables");
        await copyInto(sql, original);
      });
      assert.deepEqual(await rowCounts(restored), copied);
      assert.equal((await doNotContact(restored, company.id, phone)).do_not_contact, true);
    });
  });
});

/**
 * Finds or adds the contact with this phone number.
 * @param wish a new value for the contact's `do_not_contact`, if any.
 */
async function doNotContact(sql: Sql, company_id: string, phone: string, wish?: boolean) {
  const [{ id }] = await sql`select id from app.find_or_add_contact(${company_id}, ${phone}, null)`;
  if (wish !== undefined) await sql`update contacts set do_not_contact = ${wish} where id = ${id}`;
  return (await sql`select id, do_not_contact from contacts where id = ${id}`)[0];
}

/** Runs the jobs once, as the scheduler does each minute. */
async function runJobs(sql: Sql) {
  await sql`select begin_channel_job('channel-events')`;
  await sql`select tend_channel()`;
  await sql`select end_channel_job('channel-events')`;
  await sql`select fail_expired_sends()`;
  await sql`select tidy_events()`;
}

/** Runs the work as the owner of a new database that has only the rows of the migrations. */
async function withMigratedDatabase(work: (owner: Sql) => Promise<void>) {
  await withOwnServer(async (open) => {
    // On a hosted project, the owner may disable triggers.
    await open("supabase_admin")`grant set on parameter session_replication_role to postgres`;
    await work(open("postgres"));
  });
}

/** The tables of the documented schemas. A partitioned table is represented by its partitions. */
function tables(sql: Sql | TransactionSql) {
  return sql<{ name: string; columns: string }[]>`
    select
      format('%I.%I', nspname, relname) as name,
      string_agg(quote_ident(attname), ', ' order by attnum) filter (where attgenerated = '') as columns
    from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where nspname = any (${schemas}) and relkind = 'r'
    group by nspname, relname
    order by nspname, relname
  `;
}

/** Imitates `pg_dump` and `psql`: copies the rows of the documented schemas, and their sequences. */
async function copyInto(restored: TransactionSql, original: Sql) {
  for (const { name, columns } of await tables(original)) {
    const copy = `copy ${name} (${columns})`;
    await pipeline(
      await original.unsafe(`${copy} to stdout`).readable(),
      await restored.unsafe(`${copy} from stdin`).writable(),
    );
  }
  const sequences = await original`
    select format('%I.%I', schemaname, sequencename) as name, last_value from pg_sequences
    where schemaname = any (${schemas}) and last_value is not null
  `;
  for (const { name, last_value } of sequences) {
    await restored`select setval(${name}, ${last_value})`;
  }
  await restored`reset all`;
}

/** The number of rows of each table that has rows. */
async function rowCounts(sql: Sql | TransactionSql): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await tables(sql)) {
    const [{ rows }] = await sql.unsafe(`select count(*)::int as rows from ${name}`);
    if (rows > 0) counts[name] = rows;
  }
  return counts;
}
