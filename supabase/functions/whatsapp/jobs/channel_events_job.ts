import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { DatabaseError, rows } from "../../_shared/database/rows.ts";
import type { Json } from "../../_shared/database/types.ts";
import type { Origin } from "../../_shared/log.ts";
import type { JobOutcome, JobRun } from "../../_shared/templates/account_job.ts";
import { logAppliedEvent } from "../events/applied_event.ts";
import { applyDueEvents, type EventCost, isOfEvent } from "../events/due_events.ts";

/** The name of the job in its path and in the database. */
export const CHANNEL_EVENTS = "channel-events";

/**
 * The maximum number of rows of a table that one statement deletes. While a table may have more old
 * rows, the statement is repeated for at most `REMOVE_MS`.
 */
const MOST_REMOVED = 1_000;
const REMOVE_MS = 8_000;

/** What a run of the job has done. */
export interface ChannelEventsResult {
  /** How many events the run processed, including events that failed. */
  applied: number;
  /** How many of these events now have the state `done`. */
  done: number;
  /** The counts that `tend_channel()` returns. */
  [duty: string]: unknown;
}

/**
 * Runs the job `channel-events`, which needs no account. The job runs `tend_channel()`, and then
 * applies due events until none is left, or until the run reaches its time limit or the limit
 * `most`. The database records the beginning and the end of the run.
 * @throws DatabaseError when the database cannot begin or end the run; unexpected errors.
 */
export async function runChannelEvents(
  db: CompanyDb,
  origin: Origin,
  { untilMs, onBegun, most }: JobRun & { most: { events: number; bytes: number } },
): Promise<JobOutcome<ChannelEventsResult>> {
  if (!rows(await db.rpc("begin_channel_job", { job: CHANNEL_EVENTS }))) return { outcome: "busy" };
  onBegun?.();
  const end = async (ended: { failure?: string; result?: Json }) =>
    await db.rpc("end_channel_job", { job: CHANNEL_EVENTS, ...ended });
  try {
    const { failures, ...tended } = await tend(db);
    const events = { applied: 0, done: 0 };
    let bytes = 0;
    const shares = new AppShares(most.bytes, untilMs - performance.now());
    const isOver = () => performance.now() >= untilMs;
    // The limit `most` is checked only between two reads. If a run stopped within a read, the next
    // run would have to read the remaining events again.
    const isEnough = () => events.applied >= most.events || bytes >= most.bytes;
    const mayBeMore = async () =>
      await applyDueEvents(db, isOver, (event, cost) => {
        events.applied++;
        bytes += cost.bytes;
        shares.use(cost);
        if (event.state === "done") events.done++;
        logAppliedEvent(origin, event, {});
      }, shares.spent);
    while (!isOver() && !isEnough() && (await mayBeMore() || shares.renew()));
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

/** An app gets at most this part of a run while events of other apps are due. */
const SHARE = 1 / 4;

/** How much of a run each app has used. */
class AppShares {
  readonly #used = new Map<string, { bytes: number; ms: number }>();
  /** The apps that have used their share. */
  readonly spent = new Set<string>();

  constructor(readonly bytes: number, readonly ms: number) {}

  use({ appId, bytes, ms }: EventCost) {
    const used = this.#used.get(appId) ?? { bytes: 0, ms: 0 };
    this.#used.set(appId, used);
    used.bytes += bytes;
    used.ms += ms;
    if (used.bytes >= this.bytes * SHARE || used.ms >= this.ms * SHARE) this.spent.add(appId);
  }

  /** Gives every app a new share. Returns whether any app had used its share. */
  renew(): boolean {
    const isAnySpent = this.spent.size > 0;
    this.#used.clear();
    this.spent.clear();
    return isAnySpent;
  }
}

/**
 * Continues the deletions that `tend_channel()` has begun, and adds the numbers of deleted rows to
 * its counts. Each statement is a short transaction, because an open transaction delays the change
 * feeds.
 */
async function removeOldRows(db: CompanyDb, tended: Record<string, unknown>) {
  const untilMs = performance.now() + REMOVE_MS;
  let last: Record<string, number> = {
    events_removed: Number(tended.events_removed),
    waiting_removed: Number(tended.waiting_removed),
  };
  while (Math.max(...Object.values(last)) >= MOST_REMOVED && performance.now() < untilMs) {
    const answer = await db.rpc("remove_old_channel_rows", { max_rows: MOST_REMOVED });
    last = rows(answer) as Record<string, number>; // the jsonb from remove_old_channel_rows()
    for (const [name, count] of Object.entries(last)) tended[name] = Number(tended[name]) + count;
  }
}

/**
 * Runs `tend_channel()`, and continues its deletions. If one of these statements fails, the job
 * still applies the events, unless the database is down.
 */
async function tend(db: CompanyDb): Promise<{ failures: string[] } & Record<string, unknown>> {
  const tended: { failures: string[] } & Record<string, unknown> = { failures: [] };
  try {
    Object.assign(tended, rows(await db.rpc("tend_channel")));
    await removeOldRows(db, tended);
  } catch (error) {
    if (!(error instanceof DatabaseError) || !isOfEvent(error)) throw error;
    tended.failures.push(`The database failed (${error.message})`);
  }
  return tended;
}
