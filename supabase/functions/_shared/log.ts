/** The request or the job that a log line belongs to. */
export interface Origin {
  /** For a request, the id that its answer carries. */
  requestId: string;
  method?: string;
  path?: string;
}

/** An error that tells the operator more than its message does. */
interface Telling extends Error {
  logFacts(): Record<string, unknown>;
}

/**
 * Writes one JSON line for the operator, under the request id that the caller was given. It holds
 * what the answer must not: the database's words and the stack. Keys and bodies are never in it.
 */
export function logFailure(
  { requestId, method, path }: Origin,
  event: string,
  error: unknown,
  facts: Record<string, unknown> = {},
) {
  console.error(JSON.stringify({
    level: "error",
    event,
    request_id: requestId,
    method,
    path,
    ...facts,
    error: error instanceof Error ? error.stack ?? error.message : String(error),
    ...(isTelling(error) && error.logFacts()),
  }));
}

function isTelling(error: unknown): error is Telling {
  return error instanceof Error && "logFacts" in error;
}

/** Writes one JSON line about an event that is no failure of ours. */
export function logEvent(
  { requestId }: Origin,
  event: string,
  facts: Record<string, unknown>,
) {
  console.info(JSON.stringify({ level: "info", event, request_id: requestId, ...facts }));
}
