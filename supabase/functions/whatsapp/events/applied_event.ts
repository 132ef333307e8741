import { LineLimit } from "../../_shared/line_limit.ts";
import { logWarning, type Origin } from "../../_shared/log.ts";

/** The result of applying an event; see `app.apply_event()`. */
export interface AppliedEvent {
  event_id?: string;
  /** Null means that another call is already applying the event. */
  state: "stored" | "done" | "unroutable" | "failed" | "dead" | null;
  attempts?: number;
  /** How many of the event's items failed. */
  failed?: number;
  /** How many items were locked, or were not reached within the time limit. */
  delayed?: number;
  /** How many items belong to no account or have an unknown kind. */
  unroutable?: number;
  /**
   * Messages that were sent twice, or that were sent although the service had recorded that the
   * channel did not accept them.
   */
  surprises?: { kind: "double_send" | "released_but_sent"; send_id: string | null }[];
}

const lines = new LineLimit(20);
/** The maximum number of send ids in a log line. A longer line could exceed the limit of 8 KiB. */
const MAX_TOLD = 20;

/**
 * Logs an event that operators should know about: a message was sent unexpectedly (`surprises`), or
 * some items failed, belong to no account, or are left for the job. The line contains only numbers
 * and ids of this platform, and nothing that the channel wrote.
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
