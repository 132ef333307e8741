import type postgres from "postgres";
import type { Company } from "./company.ts";

type Sql = postgres.Sql | postgres.TransactionSql;

/** The id of each key of a company, by the scope that only this key has. */
export async function keyIds(
  sql: Sql,
  { id }: Pick<Company, "id">,
): Promise<Record<"read" | "write" | "messaging", string>> {
  const keys = await sql`
    select id, scopes[1] as scope from api_keys where company_id = ${id} and cardinality(scopes) = 1
  `;
  return Object.fromEntries(keys.map(({ scope, id }) => [scope, id])) as Awaited<
    ReturnType<typeof keyIds>
  >;
}

/** Adds today's usage of a key of a company: three requests. The last one failed. */
export async function addKeyUsage(sql: Sql, company: Pick<Company, "id">): Promise<void> {
  const { read: key_id } = await keyIds(sql, company);
  const of = { company_id: company.id, key_id };
  const day = new Date();
  await sql`
    insert into api_key_usage ${
    sql([{ ...of, day, status: 200, requests: 2 }, { ...of, day, status: 404, requests: 1 }])
  }
  `;
  await sql`
    insert into api_key_errors ${
    sql({
      ...{ ...of, at: day, status: 404, code: "not_found", method: "GET" },
      ...{ operation: "getContact", request_id: crypto.randomUUID() },
    })
  }
  `;
}
