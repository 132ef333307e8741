import type { Sql } from "./postgres/database.ts";

/** The time limit for a call. On a hosted project, pg_net waits for the same time. */
const TIMEOUT_MS = 5_000;

/**
 * Calls a job, and returns whether a run has begun. On a hosted project, pg_net keeps a transaction
 * open until the response arrives, and this function does so too. While the transaction is open,
 * the change feeds do not show later changes.
 *
 * @param owner a database connection as the owner of the tables.
 * @param url the URL of the job.
 * @param ending aborts the call.
 * @throws an error when the database or the function does not respond.
 */
export async function callJob(
  owner: Sql,
  url: string,
  secret: string,
  body: Record<string, string>,
  ending: AbortSignal,
): Promise<boolean> {
  return await owner.begin(async (sql) => {
    await sql`select pg_current_xact_id()`;
    const answer = await fetch(url, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.any([ending, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await answer.body?.cancel();
    return answer.ok;
  });
}
