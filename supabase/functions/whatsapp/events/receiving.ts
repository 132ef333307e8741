import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { DatabaseError, rows } from "../../_shared/database/rows.ts";
import { logFrequentFailure, type Origin } from "../../_shared/log.ts";
import { type AppliedEvent, logAppliedEvent } from "./applied_event.ts";
import { base64 } from "./base64.ts";
import { applyEvent, isOfEvent, whatIsIn } from "./due_events.ts";

/** The maximum size of an ordinary event. An event with one message is always much smaller. */
export const ORDINARY_BYTES = 64 * 1024;

/**
 * Stores an event with a correct signature, and applies it. An ordinary event takes one round trip.
 * A large event is stored separately before anything in it is applied. An event that cannot be
 * applied is stored too, and the job `channel-events` tries again later.
 *
 * @returns whether the app exists.
 * @throws DatabaseError when the event is not stored.
 */
export async function receiveEvent(
  db: CompanyDb,
  app_key: string,
  bytes: Uint8Array,
  origin: Origin,
): Promise<boolean> {
  const body = base64(bytes);
  const isOrdinary = bytes.length <= ORDINARY_BYTES;
  if (isOrdinary) {
    try {
      const received = rows(
        await db.rpc("receive_channel_event", { app_key, body, ...whatIsIn(bytes) }),
      ) as unknown as AppliedEvent | null; // the jsonb from receive_channel_event()
      if (received) logAppliedEvent(origin, received, { app_key });
      return received !== null;
    } catch (error) {
      // If the database is down or accepts no changes, storing the event would fail as well.
      if (!(error instanceof DatabaseError) || !isOfEvent(error)) throw error;
      logFrequentFailure(origin, "event_not_applied", error, { app_key });
    }
  }
  const stored = rows(
    await db.rpc("store_channel_event", { app_key, body }),
  ) as unknown as StoredEvent | null; // the jsonb from store_channel_event()
  if (stored && !isOrdinary && stored.state !== "done") {
    try {
      const applied = await applyEvent(db, stored.event_id, bytes);
      if (applied) logAppliedEvent(origin, applied, { app_key });
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      logFrequentFailure(origin, "event_not_applied", error, { app_key });
    }
  }
  return stored !== null;
}

type StoredEvent = Required<Pick<AppliedEvent, "event_id" | "state">>;
