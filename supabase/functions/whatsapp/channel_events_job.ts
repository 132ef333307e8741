import type { CompanyDb } from "../_shared/database/company_db.ts";
import { DatabaseError, rows } from "../_shared/database/rows.ts";
import type { Json } from "../_shared/database/types.ts";
import type { Origin } from "../_shared/log.ts";
import type { JobOutcome } from "../_shared/whatsapp/job.ts";
import { logAppliedEvent } from "./applied_event.ts";
import { applyDueEvents, isOfEvent } from "./due_events.ts";

/** The name of the job, as it stands in its path and in the database. */
export const CHANNEL_EVENTS = "channel-events";

/** What a run has done. */
export interface ChannelEventsResult {
  /** How many events were applied, with whatever result. */
  applied: number;
  /** How many of them are done now. */
  done: number;
  /** What tend_channel() counts. */
  [duty: string]: unknown;
}

/**
 * Runs the job of the channel, which needs no account: applies the events that are due until the time is over or it has
 * applied the most that a run may, and does what tend_channel() does. The database notes the beginning and the end of
 * the run.
 * @throws DatabaseError when the database cannot begin or end the run; what fails unexpectedly.
 */
export async function runChannelEvents(
  db: CompanyDb,
  origin: Origin,
  { untilMs, most }: { untilMs: number; most: { events: number; bytes: number } },
): Promise<JobOutcome<ChannelEventsResult>> {
  if (!rows(await db.rpc("begin_channel_job", { job: CHANNEL_EVENTS }))) return { outcome: "busy" };
  const end = async (ended: { failure?: string; result?: Json }) =>
    await db.rpc("end_channel_job", { job: CHANNEL_EVENTS, ...ended });
  try {
    const { failures, ...tended } = await tend(db);
    const events = { applied: 0, done: 0 };
    let bytes = 0;
    const isOver = () => performance.now() >= untilMs;
    // Not asked among events that were fetched together: what is left of them would wait for three minutes.
    const isEnough = () => events.applied >= most.events || bytes >= most.bytes;
    const mayBeMore = async () =>
      await applyDueEvents(db, isOver, (event, length) => {
        events.applied++;
        bytes += length;
        if (event.state === "done") events.done++;
        logAppliedEvent(origin, event, {});
      });
    while (!isOver() && !isEnough() && await mayBeMore());
    const result = { ...events, ...tended };
    const failure = failures.length > 0 ? failures.join("; ") : undefined;
    rows(await end({ result: result as Json, failure }));
    return failure ? { outcome: "failed", failure } : { outcome: "done", result };
  } catch (error) {
    const isKnown = error instanceof DatabaseError;
    const failure = isKnown
      ? `The database failed (${error.message})`
      : "The job failed unexpectedly";
    await end({ failure });
    if (!isKnown) throw error;
    return { outcome: "failed", failure };
  }
}

/** What tend_channel() does. When it fails, events are applied all the same. */
async function tend(db: CompanyDb): Promise<{ failures: string[] } & Record<string, unknown>> {
  try {
    return rows(await db.rpc("tend_channel")) as { failures: string[] }; // jsonb of that function
  } catch (error) {
    if (!(error instanceof DatabaseError) || !isOfEvent(error)) throw error;
    return { failures: [`The database failed (${error.message})`] };
  }
}
