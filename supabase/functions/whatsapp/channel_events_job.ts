import type { CompanyDb } from "../_shared/database/company_db.ts";
import { DatabaseError, rows } from "../_shared/database/rows.ts";
import type { Json } from "../_shared/database/types.ts";
import type { Origin } from "../_shared/log.ts";
import type { JobOutcome } from "../_shared/whatsapp/job.ts";
import { type AppliedEvent, logAppliedEvent } from "./applied_event.ts";
import { readEvent } from "./reading/event.ts";

/** The name of the job, as it stands in its path and in the database. */
export const CHANNEL_EVENTS = "channel-events";

/** What a run has done. */
export interface ChannelEventsResult {
  /** How many events were applied, with whatever result. */
  applied: number;
  /** How many of them are done now. */
  done: number;
  /** What tend_channel() counts. */
  [duty: string]: number;
}

/**
 * Runs the job of the channel, which needs no account: applies the events that are due until the time is over, and
 * does what tend_channel() does. The database notes the beginning and the end of the run.
 * @throws DatabaseError when the database cannot begin or end the run; what fails unexpectedly.
 */
export async function applyDueEvents(
  db: CompanyDb,
  origin: Origin,
  { untilMs }: { untilMs: number },
): Promise<JobOutcome<ChannelEventsResult>> {
  if (!rows(await db.rpc("begin_channel_job", { job: CHANNEL_EVENTS }))) return { outcome: "busy" };
  const end = async (ended: { failure?: string; result?: Json }) =>
    await db.rpc("end_channel_job", { job: CHANNEL_EVENTS, ...ended });
  try {
    const { failures, ...tended } = rows(await db.rpc("tend_channel")) as unknown as
      & { failures: string[] }
      & Record<string, number>; // jsonb of that function
    const events = { applied: 0, done: 0 };
    while (performance.now() < untilMs && await applyBatch(db, origin, events, untilMs));
    const result = { ...events, ...tended };
    const failure = failures.length > 0 ? failures.join("; ") : undefined;
    rows(await end({ result, failure }));
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

/** Applies events that are due, and returns whether there may be more. */
async function applyBatch(
  db: CompanyDb,
  origin: Origin,
  counts: { applied: number; done: number },
  untilMs: number,
): Promise<boolean> {
  const due = rows(await db.rpc("due_channel_events"));
  for (const { event_id, body } of due) {
    // What is not reached has a lease that ends by itself.
    if (performance.now() >= untilMs) return false;
    const applied = await applyEvent(db, event_id, bytesOf(body));
    if (!applied) continue;
    counts.applied++;
    if (applied.state === "done") counts.done++;
    logAppliedEvent(origin, applied, {});
  }
  return due.length > 0;
}

/** Applies an event of due_channel_events(); null when it is gone. */
async function applyEvent(
  db: CompanyDb,
  event_id: string,
  bytes: Uint8Array,
): Promise<AppliedEvent | null> {
  try {
    const { items, problem } = readEvent(bytes);
    return rows(
      await db.rpc("apply_channel_event", {
        event_id,
        items: items as unknown as Json,
        problem: problem ?? undefined,
      }),
    ) as unknown as AppliedEvent | null; // jsonb of that function
  } catch (error) {
    // One that the database cannot take must not end the run, nor come first in each.
    if (!(error instanceof DatabaseError) || !isOfEvent(error)) throw error;
    rows(await db.rpc("fail_channel_event", { event_id, failure: error.message }));
    return { event_id, state: "failed", failed: 1 };
  }
}

/** Whether another event may well be taken. */
function isOfEvent({ passing }: DatabaseError): boolean {
  return passing === null || passing === "slow" || passing === "locked";
}

/** The bytes of a text in base64. */
function bytesOf(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
