/** The request that a log line belongs to. */
export interface Origin {
  /** The id that its answer has in `X-Request-Id`. */
  requestId: string;
  method?: string;
  path?: string;
}

/** An error with facts for the log beyond its message. */
interface ErrorWithLogFacts extends Error {
  logFacts(): Record<string, unknown>;
}

/**
 * Writes one JSON line for the operator, with the request id of the answer. The line has what the answer must
 * not have: the text of the database and the stack. It never has a key or a body.
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
    ...(hasLogFacts(error) && error.logFacts()),
  }));
}

function hasLogFacts(error: unknown): error is ErrorWithLogFacts {
  return error instanceof Error && "logFacts" in error;
}

/** Writes one JSON line about an event that is not a failure. */
export function logEvent(
  { requestId }: Origin,
  event: string,
  facts: Record<string, unknown>,
) {
  console.info(JSON.stringify({ level: "info", event, request_id: requestId, ...facts }));
}
