import type postgres from "postgres";
import type { Company } from "./company.ts";

type Sql = postgres.Sql | postgres.TransactionSql;

/** The ids of the company's API keys that have only one scope, by this scope. */
export async function keyIds(
  sql: Sql,
  { id }: Pick<Company, "id">,
): Promise<Record<"read" | "write" | "messaging" | "webhooks", string>> {
  const keys = await sql`
    select id, scopes[1] as scope from api_keys where company_id = ${id} and cardinality(scopes) = 1
  `;
  return Object.fromEntries(keys.map(({ scope, id }) => [scope, id])) as Awaited<
    ReturnType<typeof keyIds>
  >;
}

/**
 * Adds usage of a company's API key in the current hour: three requests, of which the last failed.
 */
export async function addKeyUsage(sql: Sql, company: Pick<Company, "id">): Promise<void> {
  const { read: key_id } = await keyIds(sql, company);
  const of = { company_id: company.id, key_id };
  const at = new Date();
  const hour = new Date(at);
  hour.setUTCMinutes(0, 0, 0);
  await sql`
    insert into api_key_usage ${
    sql([{ ...of, hour, status: 200, requests: 2 }, { ...of, hour, status: 404, requests: 1 }])
  }
  `;
  await sql`
    insert into api_key_errors ${
    sql({
      ...{ ...of, status: 404, code: "not_found", method: "GET", operation: "getContact" },
      ...{ path: "/gateway/contacts/{id}", problem: "Contact not found", errors: 1 },
      ...{ first_at: at, last_at: at, requests: [{ id: "1", at }] as never },
    })
  }
  `;
}
