import { delay } from "deno-std/async/delay.js";
import { waitAtMost } from "../supabase/functions/_shared/wait_at_most.ts";
import { callJob } from "./call_job.ts";
import type { Sql } from "./postgres/database.ts";

/** The time between the beginnings of two runs. A run takes 65 s, so one run is always active. */
const EVERY_MS = 60_000;
/** The pause before the next check whether a run is needed. */
const CHECK_MS = 500;
/** The pause after a call that began no run, for example because the database was down. */
const AFTER_FAILURE_MS = 2_000;
/** When the stack ends, it waits this long for the call in progress. */
const PATIENCE_MS = 2_000;

/**
 * While at least one webhook is on or catches up, calls the function `webhooks` each minute to
 * deliver events, as pg_cron does on a hosted project. The function logs failed runs.
 *
 * @param owner a database connection as the owner of the tables.
 * @param url the URL of the function `webhooks`.
 * @returns `stop`, after which no further run begins. A run in progress ends with the functions.
 */
export function runDeliveries(
  owner: Sql,
  url: string,
  secret: string,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ending = new AbortController();

  /** Begins a run if one is needed. Resolves to the pause before the next check, in milliseconds. */
  const runOnce = async (): Promise<number> => {
    const [{ needed }] = await owner<{ needed: boolean }[]>`
      select exists (select from public.webhooks where state in ('on', 'catching_up')) as needed
    `;
    if (!needed || stopping.signal.aborted) return CHECK_MS;
    const hasBegun = await callJob(owner, `${url}/jobs/deliver`, secret, {}, ending.signal);
    return hasBegun ? EVERY_MS : AFTER_FAILURE_MS;
  };
  const running = (async () => {
    // If a stack was killed during a run, the run's leases on webhooks last for another half a
    // minute. No other stack uses this database, so this code ends the leases.
    await owner`
      update public.webhooks set lease_id = null, leased_until = null where lease_id is not null
    `.catch(() => {});
    while (!stopping.signal.aborted) {
      // The stack keeps running when a call fails.
      const pauseMs = await runOnce().catch(() => AFTER_FAILURE_MS);
      await delay(pauseMs, { signal: stopping.signal }).catch(() => {});
    }
  })();

  return {
    async stop() {
      stopping.abort();
      await waitAtMost(PATIENCE_MS, running);
      ending.abort();
      // If the database is down, the call may hang, so the wait has a limit.
      await waitAtMost(100, running);
    },
  };
}
