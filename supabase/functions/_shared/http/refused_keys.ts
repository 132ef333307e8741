import type { ApiError } from "../errors.ts";
import { LineLimit } from "../line_limit.ts";
import { logWarning, type Origin } from "../log.ts";

// A caller who tries keys must not push the other lines out.
const lines = new LineLimit(20);

/**
 * Logs that a key was refused: the request, the code, and for a known key its id, its hint and the reason. It
 * never has anything of an unknown key. At most 20 such lines in ten seconds; the next one says how many were
 * `left_out`.
 */
export function logRefusedKey(origin: Origin, refusal: ApiError) {
  const line = lines.take();
  if (!line) return;
  logWarning(origin, "key_refused", { code: refusal.code, ...refusal.logFacts(), ...line });
}
