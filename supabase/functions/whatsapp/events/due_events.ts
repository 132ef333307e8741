import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { DatabaseError, rows } from "../../_shared/database/rows.ts";
import type { Json } from "../../_shared/database/types.ts";
import type { AppliedEvent } from "./applied_event.ts";
import { readEvent } from "./reading/event.ts";

/** The size of an applied event, and how long it took to apply the event. */
export interface EventCost {
  appId: string;
  bytes: number;
  ms: number;
}

/**
 * Applies some of the due events, one after the other. Returns whether more events may be due.
 *
 * @param isOver returns whether to stop. Events that were not applied are due again immediately.
 * @param onApplied receives the result and the cost of each event.
 * @param spentApps the apps whose events are not applied. `onApplied` may add an app.
 * @throws DatabaseError when the database does not respond.
 */
export async function applyDueEvents(
  db: CompanyDb,
  isOver: () => boolean,
  onApplied: (event: AppliedEvent, cost: EventCost) => void,
  spentApps: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const due = rows(await db.rpc("due_channel_events", { without_apps: [...spentApps] }));
  const left: string[] = [];
  for (const { event_id, app_id: appId, body } of due) {
    if (isOver() || spentApps.has(appId)) {
      left.push(event_id);
      continue;
    }
    const began = performance.now();
    const bytes = bytesOf(body);
    const applied = await applyEvent(db, event_id, bytes);
    if (!applied) continue;
    onApplied(applied, { appId, bytes: bytes.length, ms: performance.now() - began });
  }
  if (left.length > 0) rows(await db.rpc("return_channel_events", { event_ids: left }));
  return due.length > 0;
}

/** Applies a stored event; null when the event no longer exists. */
export async function applyEvent(
  db: CompanyDb,
  event_id: string,
  bytes: Uint8Array,
): Promise<AppliedEvent | null> {
  try {
    return rows(
      await db.rpc("apply_channel_event", { event_id, ...whatIsIn(bytes) }),
    ) as unknown as AppliedEvent | null; // the jsonb from apply_channel_event()
  } catch (error) {
    // If the database does not accept an event, the run must continue, and later runs must not
    // begin with this event again.
    if (!(error instanceof DatabaseError) || !isOfEvent(error)) throw error;
    rows(await db.rpc("fail_channel_event", { event_id, failure: error.message }));
    return { event_id, state: "failed", failed: 1 };
  }
}

/** The content of an event, in the form that the database functions accept. */
export function whatIsIn(bytes: Uint8Array): { items: Json; problem?: string } {
  const { items, problem } = readEvent(bytes);
  return { items: items as unknown as Json, problem: problem ?? undefined };
}

/** Whether the error concerns only this event, so that the database may accept another event. */
export function isOfEvent({ passing }: DatabaseError): boolean {
  return passing === null || passing === "slow" || passing === "locked";
}

/** The bytes that a base64 string encodes. */
function bytesOf(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
