import type { ApiError } from "../errors.ts";
import { LineLimit } from "../line_limit.ts";
import { logWarning, type Origin } from "../log.ts";

// If a caller tries many keys, the log lines about those keys must not displace other lines.
const lines = new LineLimit(20);

/**
 * Logs that a key was refused. The line has the request and the error code; for a known key, it
 * also has the key's id, its hint and the reason. A line never contains any part of an unknown key.
 * At most 20 such lines are logged in ten seconds; the next line contains the number of omitted
 * lines as `left_out`.
 */
export function logRefusedKey(origin: Origin, refusal: ApiError) {
  const line = lines.take();
  if (!line) return;
  logWarning(origin, "key_refused", { code: refusal.code, ...refusal.logFacts(), ...line });
}
