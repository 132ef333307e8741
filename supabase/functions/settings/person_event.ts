import { takeLine } from "../_shared/line_limit.ts";
import { logEvent, type Origin } from "../_shared/log.ts";

/**
 * Logs what a user has done. At most 10 lines of each event are logged in ten seconds, so that a
 * user who repeats a change very often does not hide other lines. The next line contains the number
 * of lines that were `left_out`.
 */
export function logPersonEvent(origin: Origin, event: string, facts: Record<string, unknown>) {
  const line = takeLine(event);
  if (line) logEvent(origin, event, { ...facts, ...line });
}
