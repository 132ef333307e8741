// Explains what a failed call means.
import type { Texts } from "./texts.ts";

/** The kinds of failures. Each kind needs a different action from the user. */
export type FailureKind =
  | "offline" // no server answered
  | "unanswered" // a change that may have been made: for example, it got no response
  | "signed_out"
  | "forbidden"
  | "gone"
  | "conflict"
  | "invalid"
  | "too_many"
  | "server";

/** A call that failed. */
export class Failure extends Error {
  /**
   * @param detail the server's error message, in English.
   * @param says the page's own message for this failure, if there is one.
   */
  constructor(readonly kind: FailureKind, detail = "", readonly says?: (t: Texts) => string) {
    super(detail);
  }
}

interface Answer {
  data: unknown;
  error: { message: string; code?: string } | null;
  status: number;
}

/**
 * The rows or the value in the Data API's response to a call.
 * @throws Failure
 */
export async function answered<T>(call: PromiseLike<Answer>): Promise<T> {
  const { data, error, status } = await call;
  if (error) throw failureOf(status, error.message);
  return data as T;
}

/**
 * The response to a call that changes something.
 * @throws Failure. Its kind is `unanswered` if it is unknown whether the change was made.
 */
export async function changed<T>(call: PromiseLike<Answer>): Promise<T> {
  const { data, error, status } = await call;
  if (!error) return data as T;
  if (mayBeDone(status, error.code)) throw new Failure("unanswered", error.message);
  throw failureOf(status, error.message);
}

/**
 * Whether a change may have been made although its call failed. Nothing was changed if the status
 * is from 401 to 499. Nothing was changed if the error has a code of Postgres (an SQLSTATE) or of
 * the Data API (PGRST…), unless the code means that the connection to the database was lost. An
 * error without a code comes from a proxy, or it comes from the Data API with a 400 because the
 * connection broke during the statement.
 */
function mayBeDone(status: number, code = ""): boolean {
  if (status > 400 && status < 500) return false;
  const isDecided = /^(PGRST\d+|(?=.*\d)[0-9A-Z]{5})$/.test(code);
  return !isDecided || /^(08|57P0[12]|40003|PGRST00[01])/.test(code);
}

/**
 * Checks that a change affected a row. A change affects no row if the row was deleted, or if the
 * user may no longer change it.
 */
export function expectRow<T>(rows: T[]): T {
  if (rows.length === 0) throw new Failure("gone");
  return rows[0];
}

/** What an error response means, if it is known that nothing was changed. */
export function failureOf(status: number | undefined, detail: string): Failure {
  const kinds: Record<number, FailureKind> = {
    401: "signed_out",
    403: "forbidden",
    404: "gone",
    409: "conflict",
    429: "too_many",
  };
  // A proxy returns a 502 or 504 after a timeout.
  if (!status || status === 502 || status === 504) return new Failure("offline", detail);
  if (status >= 500) return new Failure("server", detail);
  return new Failure(kinds[status] ?? "invalid", detail);
}

/** What a failure means and what to do about it, in a sentence or two. */
export function sentenceOf(error: unknown, t: Texts): string {
  if (!(error instanceof Failure)) return t.failure.unknown;
  if (error.says) return error.says(t);
  const says = t.failure[error.kind];
  return error.kind === "invalid" || error.kind === "conflict"
    ? t.failure.withDetail(says, error.message)
    : says;
}
