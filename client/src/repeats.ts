import { type APIError, ConnectionError, type CRMError, type ErrorBody } from "./errors.ts";
import { SendPendingError } from "./sends.ts";

/**
 * The state after a failed attempt. `undone`: the attempt certainly did nothing. `open`: the
 * outcome of the attempt is unknown. `final`: a repeat would get the same answer.
 */
export function leftBy(error: CRMError): "undone" | "open" | "final" {
  if (error instanceof ConnectionError || error instanceof SendPendingError) return "open";
  const { status, code, body, message } = error as APIError; // an error without a status is final
  if (code === "malformed_request" || code === "request_timeout" || status === 429) return "undone";
  if ((body as ErrorBody | undefined)?.outcome === "not_sent") return "undone";
  if (code === "database_unavailable" && /nothing was/.test(message)) return "undone";
  if (code === "idempotency_in_progress" || status === 408) return "open";
  // If the channel refuses an account, a person must connect the account again, so a repeat would
  // not help.
  return status < 300 || (status >= 500 && code !== "channel_account_error") ? "open" : "final";
}

/**
 * The pause before the n-th repeat, in milliseconds. The pause is random (full jitter), and at
 * least `Retry-After`.
 */
export function pauseBefore(repeat: number, retryAfter?: number | null): number {
  return (retryAfter ?? 0) * 1000 + Math.random() * Math.min(500 * 2 ** repeat, 8000);
}

/** Waits. @throws the reason of the signal as soon as the signal is aborted. */
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
