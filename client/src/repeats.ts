import { type APIError, ConnectionError, type CRMError, type ErrorBody } from "./errors.ts";
import { SendPendingError } from "./sends.ts";

/**
 * The state after a failed attempt. `undone`: the attempt definitely had no effect. `open`: the
 * outcome of the attempt is unknown. `final`: repeating the request would return the same response.
 */
export function leftBy(error: CRMError): "undone" | "open" | "final" {
  if (error instanceof ConnectionError || error instanceof SendPendingError) return "open";
  const { status, code, body, message } = error as APIError; // An error without a status is final.
  if (code === "malformed_request" || code === "request_timeout" || status === 429) return "undone";
  if ((body as ErrorBody | undefined)?.outcome === "not_sent") return "undone";
  if (code === "database_unavailable" && /nothing was/.test(message)) return "undone";
  if (code === "idempotency_in_progress" || status === 408) return "open";
  // If the channel refuses an account, repeating the request does not help. Someone must reconnect
  // the account.
  return status < 300 || (status >= 500 && code !== "channel_account_error") ? "open" : "final";
}

/**
 * Returns the pause before the n-th repeat, in milliseconds. The pause is random (full jitter), and
 * at least as long as `Retry-After` requires.
 */
export function pauseBefore(repeat: number, retryAfter?: number | null): number {
  return (retryAfter ?? 0) * 1000 + Math.random() * Math.min(500 * 2 ** repeat, 8000);
}

/**
 * Waits.
 * @throws the signal's reason as soon as the signal is aborted.
 */
export function pause(time: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, time);
    signal?.addEventListener("abort", abort);
  });
}
