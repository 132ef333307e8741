import { delay } from "deno-std/async/delay.js";
import { waitAtMost } from "../supabase/functions/_shared/wait_at_most.ts";
import { callJob } from "./call_job.ts";
import type { Sql } from "./postgres/database.ts";

const EVERY_MS = 60_000;
/** How long an ending stack waits for the call in progress. */
const PATIENCE_MS = 2_000;

/**
 * Calls the function `whatsapp` for the job that applies the channel's events, and for the due jobs
 * of messaging accounts. `runDueJobs` also settles the sends whose lease has ended, and cleans up
 * events. It does all of this at the start and then each minute, as pg_cron does on a hosted
 * project. A failed job is due again later, and the function logs the failure. A separate loop runs
 * the job that delivers events to webhooks.
 * @param owner a database connection as the owner of the tables.
 * @param url the URL of the function `whatsapp`.
 */
export function runDueJobs(
  owner: Sql,
  url: string,
  secret: string,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const ending = new AbortController();

  const runAll = async () => {
    await owner`select public.fail_expired_sends()`.catch(() => {});
    await owner`select public.tidy_events()`.catch(() => {});
    const due = await owner<{ job: string; account_id: string | null }[]>`
      select 'channel-events' as job, null as account_id
      union all
      select job, account_id from public.due_jobs()
    `;
    for (const { job, account_id } of due) {
      if (stopping.signal.aborted) return;
      const body: Record<string, string> = account_id === null ? {} : { account_id };
      await callJob(owner, `${url}/jobs/${job}`, secret, body, ending.signal);
    }
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      // The stack keeps running when its jobs fail.
      await runAll().catch(() => {});
      await delay(EVERY_MS, { signal: stopping.signal }).catch(() => {});
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
