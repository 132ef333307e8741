import type postgres from "postgres";
import { withDatabase } from "./test_stack.ts";

/** The tables into which the functions write some seconds after the requests. */
const USAGE = ["api_key_errors", "api_key_usage"];

/**
 * Every row of a company by table, and the row of the company itself.
 * @param withUsage includes the usage of its keys, which changes some time after they are used.
 */
export async function snapshot(
  companyId: string,
  { withUsage = false } = {},
): Promise<Record<string, unknown[]>> {
  return await withDatabase(async (sql) => {
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
  });
}

/** The number of rows of a company in each table that a template send writes. */
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
 * Every table of the public schema with rows of companies. The list comes from the catalogue, so
 * every new table is included.
 */
export async function tables(): Promise<string[]> {
  return await withDatabase(tableNames);
}

async function tableNames(sql: postgres.Sql): Promise<string[]> {
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
