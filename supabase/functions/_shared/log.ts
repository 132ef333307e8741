import { takeLine } from "./line_limit.ts";

/** The request that a log line belongs to. */
export interface Origin {
  /** The id in the `X-Request-Id` header of its response. */
  requestId: string;
  method?: string;
  path?: string;
}

/** An error with facts for the log, in addition to its message. */
interface ErrorWithLogFacts extends Error {
  logFacts(): Record<string, unknown>;
}

/**
 * Writes one JSON line for the operator, with the response's request id. The line has details that
 * the response must not have: the database's message and the stack trace. The line never contains a
 * key or a body.
 */
export function logFailure(
  { requestId, method, path }: Origin,
  event: string,
  error: unknown,
  facts: Record<string, unknown> = {},
) {
  console.error(jsonLine({
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

/**
 * Logs a failure that may be very frequent: at most 10 lines of each kind in ten seconds. The next
 * line contains the number of lines that were `left_out`.
 */
export function logFrequentFailure(
  origin: Origin,
  event: string,
  error: unknown,
  facts: Record<string, unknown> = {},
  kind = event,
) {
  const line = takeLine(kind);
  if (line) logFailure(origin, event, error, { ...facts, ...line });
}

function hasLogFacts(error: unknown): error is ErrorWithLogFacts {
  return error instanceof Error && "logFacts" in error;
}

/**
 * Writes one JSON line about something that the operator may want to investigate, with facts about
 * the request.
 */
export function logWarning(
  { requestId, method, path }: Origin,
  event: string,
  facts: Record<string, unknown>,
) {
  console.warn(jsonLine({ level: "warn", event, request_id: requestId, method, path, ...facts }));
}

/** Writes one JSON line about an event that is not a failure. */
export function logEvent(
  { requestId }: Origin,
  event: string,
  facts: Record<string, unknown>,
) {
  console.info(jsonLine({ level: "info", event, request_id: requestId, ...facts }));
}

/**
 * The maximum length of a line, including the line break. The hosted platform truncates lines of
 * more than 10,000 characters.
 */
const MAX_LINE_BYTES = 8192;
/** Long strings are truncated to the first of these lengths that makes the line short enough. */
const CUTS = [2000, 500, 100, 20];

/**
 * The log line of an entry: JSON of at most 8 KiB, even if a caller sent long strings. Strings that
 * are too long are truncated, and the line reports the truncation. A string that looks like an API
 * key, for example in the path, is left out.
 */
function jsonLine(entry: Record<string, unknown>): string {
  const whole = JSON.stringify(entry).replace(/sk_live_[\w%-]+/g, "sk_live_…");
  if (fits(whole)) return whole;
  const cutTo = (max: number) => JSON.stringify(JSON.parse(whole), (_, value) => cut(value, max));
  for (const max of CUTS) {
    const line = cutTo(max);
    if (fits(line)) return line;
  }
  const { level, event, request_id } = entry;
  return JSON.stringify({ level, event, request_id, error: "This line was too long, and was cut" });
}

function fits(line: string): boolean {
  const max = MAX_LINE_BYTES - 1;
  // A UTF-16 unit takes at most three bytes.
  return line.length * 3 <= max ||
    (line.length <= max && new TextEncoder().encode(line).length <= max);
}

function cut(value: unknown, max: number): unknown {
  return typeof value === "string" && value.length > max + 30
    ? `${value.slice(0, max)}… (cut, ${value.length} characters)`
    : value;
}
