import assert from "node:assert/strict";
import postgres from "postgres";
import { asSuperuser } from "./test_stack.ts";

/** A transaction. */
export type Sql = postgres.TransactionSql;

export type Work = (sql: Sql) => Promise<unknown>;

/**
 * Runs the work in a database transaction that is rolled back. The transaction starts as the
 * superuser, because only the superuser can act as any other role.
 *
 * @param admin a superuser connection, if the work uses a database other than the tests' database.
 */
export async function rolledBack(work: Work, admin?: postgres.Sql): Promise<void> {
  const end = new Error("rolled back");
  const undone = async (sql: postgres.Sql) => {
    await sql.begin(async (sql) => {
      await work(sql);
      throw end;
    }).catch((error) => {
      if (error !== end) throw error;
    });
  };
  await (admin ? undone(admin) : asSuperuser(undone));
}

/**
 * Acts as a role with these JWT claims. Like the Data API, the function also applies the role's
 * planner settings.
 */
export async function actAs(
  sql: Sql,
  role:
    | "anon"
    | "authenticated"
    | "service_role"
    | "api_client"
    | "api_reader"
    | "channel_client"
    | "settings_client"
    | "usage_client"
    | "webhook_client",
  claims: Record<string, unknown> = {},
): Promise<void> {
  await sql`
    select
      set_config('role', ${role}, true),
      set_config('request.jwt.claims', ${JSON.stringify({ role, ...claims })}, true),
      (
        select count(set_config(name, coalesce(own, reset_val), true))
        from pg_settings
        left join (
          select split_part(setting, '=', 1) as name, split_part(setting, '=', 2) as own
          from pg_roles, unnest(rolconfig) as setting where rolname = ${role}
        ) as settings using (name)
        where name in ('plan_cache_mode', 'jit') or name like 'enable\\_%'
      )
  `;
}

/** Acts as a signed-in user. */
export async function actAsPerson(sql: Sql, userId: string): Promise<void> {
  await actAs(sql, "authenticated", { sub: userId });
}

/** Acts as the superuser again. No policy applies to the superuser. */
export async function actAsSuperuser(sql: Sql): Promise<void> {
  await sql`select set_config('role', 'none', true), set_config('request.jwt.claims', '', true)`;
}

/**
 * The database error for this work: the SQLSTATE and the violated constraint, if any, as in `23514
 * deals_value_check`. The test fails if the work succeeds.
 */
export async function refusal(sql: Sql, work: Work): Promise<string> {
  try {
    await sql.savepoint(work);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    return [error.code, error.constraint_name].filter(Boolean).join(" ");
  }
  assert.fail(`was not refused: ${work}`);
}
