import { delay } from "deno-std/async/delay.js";
import { waitAtMost } from "../supabase/functions/_shared/wait_at_most.ts";
import { announceEnd } from "./functions/host.ts";
import type { Sql } from "./postgres/database.ts";

/** The pause before the next run, or before the next check whether a run is needed. */
const EVERY_MS = 500;
/** The longer pause after a failed run, for example while the database is down. */
const AFTER_FAILURE_MS = 2_000;
/** A run takes 65 s, and its last requests may take 10 s more. */
const TIMEOUT_MS = 150_000;
/** When the stack ends, it waits this long for the run in progress. */
const PATIENCE_MS = 2_000;

/** The loop that calls the function `webhooks` to deliver events. */
export interface Deliveries {
  /** Starts no more runs. The current run ends when the functions end. */
  end(): void;
  /** Waits for the run in progress, and aborts it if it takes too long. */
  stop(): Promise<void>;
}

/**
 * While any webhook is on or catches up, calls the function `webhooks` again and again, one run
 * after the other. On a hosted project, pg_cron starts a run each minute. Failed runs are logged by
 * the function.
 *
 * @param owner a database connection as the owner of the tables.
 * @param url the URL of the function `webhooks`.
 */
export function runDeliveries(owner: Sql, url: string, secret: string): Deliveries {
  const stopping = new AbortController();
  const ending = new AbortController();

  /** Does a run if one is needed. Resolves to false after a failure. */
  const runOnce = async (): Promise<boolean> => {
    const [{ needed }] = await owner<{ needed: boolean }[]>`
      select exists (select from public.webhooks where state in ('on', 'catching_up')) as needed
    `;
    if (!needed || stopping.signal.aborted) return true;
    const answer = await fetch(`${url}/jobs/deliver`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: "{}",
      signal: AbortSignal.any([ending.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await answer.body?.cancel();
    return answer.ok;
  };
  const running = (async () => {
    // If a stack was killed during a run, the run's leases on webhooks last for another half a
    // minute. No other stack uses this database, so this code ends the leases.
    await owner`
      update public.webhooks set lease_id = null, leased_until = null where lease_id is not null
    `.catch(() => {});
    while (!stopping.signal.aborted) {
      // The stack keeps running when a run fails.
      const isDone = await runOnce().catch(() => false);
      await delay(isDone ? EVERY_MS : AFTER_FAILURE_MS, { signal: stopping.signal })
        .catch(() => {});
    }
  })();

  return {
    end: () => stopping.abort(),
    async stop() {
      stopping.abort();
      await announceEnd(PATIENCE_MS, running);
      ending.abort();
      // The run may be waiting for a database that is down.
      await waitAtMost(100, running);
    },
  };
}
