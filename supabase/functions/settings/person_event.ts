import { LineLimit } from "../_shared/line_limit.ts";
import { logEvent, type Origin } from "../_shared/log.ts";

// If a user repeats a change very often, the log lines about that change must not hide other lines.
const limits = new Map<string, LineLimit>();

/**
 * Logs what a user has done. At most 10 lines of each event are logged in ten seconds. The next
 * line contains the number of lines that were `left_out`.
 */
export function logPersonEvent(origin: Origin, event: string, facts: Record<string, unknown>) {
  const limit = limits.get(event) ?? new LineLimit(10);
  limits.set(event, limit);
  const line = limit.take();
  if (line) logEvent(origin, event, { ...facts, ...line });
}
