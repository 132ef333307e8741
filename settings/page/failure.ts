// What a failed call means, in a person's words.
import type { Texts } from "./texts.ts";

/** What a person can do about a failure decides its kind. */
export type FailureKind =
  | "offline" // nothing answered
  | "unanswered" // nothing answered to a change: it may have been made
  | "signed_out"
  | "forbidden"
  | "gone"
  | "conflict"
  | "invalid"
  | "too_many"
  | "server";

/** A call that did not do what was asked. */
export class Failure extends Error {
  /**
   * @param detail the sentence of the server, in English.
   * @param says the page's own sentence, where it has one for this very failure.
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
 * The rows or the value that a call of the Data API answered.
 * @throws Failure
 */
export async function answered<T>(call: PromiseLike<Answer>): Promise<T> {
  const { data, error, status } = await call;
  if (error) throw failureOf(status, error.message, "offline");
  return data as T;
}

/**
 * What a call answered that changes something. Where no answer came, nobody knows whether it did.
 * @throws Failure
 */
export async function changed<T>(call: PromiseLike<Answer>): Promise<T> {
  const { data, error, status } = await call;
  if (error) throw failureOf(status, error.message, "unanswered");
  return data as T;
}

/** Sees to it that a change met a row: one that is gone, or that the person may no longer change, is none. */
export function expectRow<T>(rows: T[]): T {
  if (rows.length === 0) throw new Failure("gone");
  return rows[0];
}

/** @param unanswered what it is when no answer came. */
export function failureOf(
  status: number | undefined,
  detail: string,
  unanswered: "offline" | "unanswered",
): Failure {
  const kinds: Record<number, FailureKind> = {
    401: "signed_out",
    403: "forbidden",
    404: "gone",
    409: "conflict",
    429: "too_many",
  };
  // A proxy that waits in vain answers for the server, which may have done it.
  if (!status || status === 502 || status === 504) return new Failure(unanswered, detail);
  if (status >= 500) return new Failure("server", detail);
  return new Failure(kinds[status] ?? "invalid", detail);
}

/** What a failure means and what to do, in a sentence or two. */
export function sentenceOf(error: unknown, t: Texts): string {
  if (!(error instanceof Failure)) return t.failure.unknown;
  if (error.says) return error.says(t);
  const says = t.failure[error.kind];
  return error.kind === "invalid" || error.kind === "conflict"
    ? t.failure.withDetail(says, error.message)
    : says;
}
