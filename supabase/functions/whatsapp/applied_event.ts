import { LineLimit } from "../_shared/line_limit.ts";
import { logWarning, type Origin } from "../_shared/log.ts";

/** What became of an event; see app.apply_event(). */
export interface AppliedEvent {
  event_id?: string;
  /** Null: another call is about to apply it. */
  state: "stored" | "done" | "unroutable" | "failed" | "dead" | null;
  attempts?: number;
  /** How many of its items failed. */
  failed?: number;
  /** How many were not reached in time, or not free. */
  delayed?: number;
  /** How many are about no account, or not known. */
  unroutable?: number;
  /** Sends that went out twice, or although the ledger said that the channel did not take them. */
  surprises?: { kind: "double_send" | "released_but_sent"; send_id: string | null }[];
}

const lines = new LineLimit(20);
/** Of one event. A line has at most 8 KiB. */
const MAX_TOLD = 20;

/**
 * Logs an event of which operators should know: a message that went out twice, items that failed, that are about no
 * account, or that are left for the job. It has ids of this platform and numbers, and nothing that the channel wrote.
 */
export function logAppliedEvent(origin: Origin, event: AppliedEvent, facts: { app_key?: string }) {
  const { event_id, state, attempts, failed = 0, delayed = 0, unroutable = 0 } = event;
  for (const kind of ["double_send", "released_but_sent"] as const) {
    const sends = (event.surprises ?? []).filter((surprise) => surprise.kind === kind);
    if (sends.length === 0) continue;
    const send_ids = sends.slice(0, MAX_TOLD).map(({ send_id }) => send_id);
    logWarning(origin, kind, { ...facts, event_id, send_ids, count: sends.length });
  }
  if (state === "done" || state === null) return;
  const line = lines.take();
  if (!line) return;
  const counts = { failed, delayed, unroutable };
  logWarning(origin, "channel_event", { ...facts, event_id, state, attempts, ...counts, ...line });
}
