import type postgres from "postgres";
import { withDatabase } from "./test_stack.ts";

/** The tables that the functions write to a few seconds after a request. */
const USAGE = ["api_key_errors", "api_key_usage"];

/**
 * All rows of a company by table, and the company's own row.
 * @param withUsage includes the usage of API keys, which changes some time after a request.
 */
export async function snapshot(
  companyId: string,
  { withUsage = false } = {},
): Promise<Record<string, unknown[]>> {
  return await withDatabase((sql) => snapshotIn(sql, companyId, { withUsage }));
}

/** Like `snapshot`, in a session that may have rows that are not committed yet. */
export async function snapshotIn(
  sql: postgres.Sql | postgres.TransactionSql,
  companyId: string,
  { withUsage = false } = {},
): Promise<Record<string, unknown[]>> {
  const rowsOf = (table: string) => {
    const column = table === "companies" ? "id" : "company_id";
    return `select '${table}' as table, to_jsonb(t) as row from public.${table} t where ${column} = $1`;
  };
  const names = (await tableNames(sql)).filter((table) => withUsage || !USAGE.includes(table));
  const query = names.map(rowsOf).join(" union all ");
  const found: Record<string, unknown[]> = {};
  for (const { table, row } of await sql.unsafe(`${query} order by 1, 2`, [companyId])) {
    (found[table] ??= []).push(row);
  }
  return found;
}

/** The number of a company's rows in each table that a template send writes to. */
export async function sendCounts(sql: postgres.Sql | postgres.TransactionSql, company_id: string) {
  const [counts] = await sql`
    select
      (select count(*)::int from contacts where company_id = ${company_id}) as contacts,
      (select count(*)::int from conversations where company_id = ${company_id}) as conversations,
      (select count(*)::int from messages where company_id = ${company_id}) as messages,
      (select count(*)::int from sends where company_id = ${company_id}) as sends
  `;
  return { ...counts };
}

/**
 * All tables in the public schema that have company rows. The list comes from the database
 * catalogue, so new tables are included.
 */
export async function tables(): Promise<string[]> {
  return await withDatabase(tableNames);
}

async function tableNames(sql: postgres.Sql | postgres.TransactionSql): Promise<string[]> {
  const found = await sql`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and (
      relname = 'companies'
      or exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'company_id')
    )
    order by relname
  `;
  return found.map(({ relname }) => relname);
}
