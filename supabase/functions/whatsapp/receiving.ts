import type { CompanyDb } from "../_shared/database/company_db.ts";
import { DatabaseError, rows } from "../_shared/database/rows.ts";
import type { Json } from "../_shared/database/types.ts";
import { logFailure, type Origin } from "../_shared/log.ts";
import { type AppliedEvent, logAppliedEvent } from "./applied_event.ts";
import { base64 } from "./base64.ts";
import { isOfEvent } from "./due_events.ts";
import { readEvent } from "./reading/event.ts";

/**
 * Stores an event whose signature was right, and applies what it says, in one round trip. When that fails, it is only
 * stored, and the job applies it. Returns whether the app exists.
 * @throws DatabaseError when the event is not stored.
 */
export async function receiveEvent(
  db: CompanyDb,
  app_key: string,
  bytes: Uint8Array,
  origin: Origin,
): Promise<boolean> {
  const body = base64(bytes);
  try {
    const { items, problem } = readEvent(bytes);
    const received = rows(
      await db.rpc("receive_channel_event", {
        app_key,
        body,
        items: items as unknown as Json,
        problem: problem ?? undefined,
      }),
    ) as unknown as AppliedEvent | null; // jsonb of that function
    if (received) logAppliedEvent(origin, received, { app_key });
    return received !== null;
  } catch (error) {
    // When the database is away, or takes no changes, storing fails as well.
    if (!(error instanceof DatabaseError) || !isOfEvent(error)) throw error;
    logFailure(origin, "event_not_applied", error, { app_key });
  }
  return rows(await db.rpc("store_channel_event", { app_key, body })) !== null;
}
