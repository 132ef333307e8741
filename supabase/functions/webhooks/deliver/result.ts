import type { Result } from "./delivery.ts";

const HOUR_S = 60 * 60;

/**
 * Interprets the status of a response. A redirect counts as a failure, because it could lead to a
 * URL that was not checked.
 *
 * @param retryAfter the header `Retry-After`.
 * @param now in milliseconds, for a `Retry-After` with a date.
 */
export function resultOf(status: number, retryAfter: string | null, now: number): Result {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === 410) return { kind: "gone" };
  const seconds = status === 429 || status === 503 ? secondsOf(retryAfter, now) : null;
  if (seconds === null) return { kind: "failed" };
  return { kind: "later", waitSeconds: Math.min(Math.max(seconds, 1), HOUR_S) };
}

/**
 * The delay in seconds from a `Retry-After` header (RFC 9110, 10.2.3); null when the header is
 * missing or malformed.
 */
function secondsOf(retryAfter: string | null, now: number): number | null {
  const text = retryAfter?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (text.length > 40 || !/GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.ceil((at - now) / 1000);
}
