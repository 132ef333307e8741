import type { CompanyDb } from "../_shared/database/company_db.ts";
import { DatabaseError, rows } from "../_shared/database/rows.ts";
import type { Json } from "../_shared/database/types.ts";
import type { AppliedEvent } from "./applied_event.ts";
import { readEvent } from "./reading/event.ts";

/**
 * Applies some of the events that are due, one after the other, and returns whether there may be more.
 *
 * @param isOver whether to begin no further one. What is not reached is due again in three minutes.
 * @param onApplied is told what became of each, and how many bytes it has.
 * @throws DatabaseError when the database does not answer.
 */
export async function applyDueEvents(
  db: CompanyDb,
  isOver: () => boolean,
  onApplied: (event: AppliedEvent, bytes: number) => void,
): Promise<boolean> {
  const due = rows(await db.rpc("due_channel_events"));
  for (const { event_id, body } of due) {
    if (isOver()) return false;
    const bytes = bytesOf(body);
    const applied = await applyEvent(db, event_id, bytes);
    if (applied) onApplied(applied, bytes.length);
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
export function isOfEvent({ passing }: DatabaseError): boolean {
  return passing === null || passing === "slow" || passing === "locked";
}

/** The bytes of a text in base64. */
function bytesOf(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
