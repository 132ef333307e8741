import type { ApiError } from "../errors.ts";
import { logWarning, type Origin } from "../log.ts";

// The hosted platform keeps 100 lines in ten seconds. A caller who tries keys must not push the others out.
const MAX_LINES = 20;
const PER_MS = 10_000;

/** When this instance wrote the last lines, the oldest first. */
const writtenAt: number[] = [];
let leftOut = 0;

/**
 * Logs that a key was refused: the request, the code, and for a known key its id, its hint and the reason. It
 * never has anything of an unknown key. At most 20 such lines in ten seconds; the next one says how many were
 * `left_out`.
 */
export function logRefusedKey(origin: Origin, refusal: ApiError) {
  const now = Date.now();
  const [oldest] = writtenAt;
  // A clock that was set back must not silence the log.
  if (writtenAt.length >= MAX_LINES && now >= oldest && now < oldest + PER_MS) {
    leftOut++;
    return;
  }
  writtenAt.push(now);
  if (writtenAt.length > MAX_LINES) writtenAt.shift();
  logWarning(origin, "key_refused", {
    code: refusal.code,
    ...refusal.logFacts(),
    ...(leftOut > 0 && { left_out: leftOut }),
  });
  leftOut = 0;
}
