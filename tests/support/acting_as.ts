import assert from "node:assert/strict";
import postgres from "postgres";
import { asSuperuser } from "./test_stack.ts";

type Work = (sql: postgres.TransactionSql) => Promise<unknown>;

/**
 * Works on the database in a transaction that is rolled back. The transaction begins as the superuser, the
 * only role that can act as any other.
 */
export async function rolledBack(work: Work): Promise<void> {
  const end = new Error("rolled back");
  await asSuperuser(async (sql) => {
    await sql.begin(async (sql) => {
      await work(sql);
      throw end;
    }).catch((error) => {
      if (error !== end) throw error;
    });
  });
}

/** Acts as a role with these claims in its token, in the same way as the Data API. */
export async function actAs(
  sql: postgres.TransactionSql,
  role:
    | "anon"
    | "authenticated"
    | "service_role"
    | "api_client"
    | "api_reader"
    | "channel_client"
    | "usage_client",
  claims: Record<string, unknown> = {},
): Promise<void> {
  await sql`
    select
      set_config('role', ${role}, true),
      set_config('request.jwt.claims', ${JSON.stringify({ role, ...claims })}, true)
  `;
}

/** Acts as a person with a session. */
export async function actAsPerson(sql: postgres.TransactionSql, userId: string): Promise<void> {
  await actAs(sql, "authenticated", { sub: userId });
}

/** Acts as the superuser again; no policy limits it. */
export async function actAsSuperuser(sql: postgres.TransactionSql): Promise<void> {
  await sql`select set_config('role', 'none', true), set_config('request.jwt.claims', '', true)`;
}

/**
 * How the database refuses this work: the SQLSTATE and, if there is one, the constraint that the work
 * violates, as in `23514 deals_value_check`. The test fails when the work is not refused.
 */
export async function refusal(sql: postgres.TransactionSql, work: Work): Promise<string> {
  try {
    await sql.savepoint(work);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    return [error.code, error.constraint_name].filter(Boolean).join(" ");
  }
  assert.fail(`was not refused: ${work}`);
}
