import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { DatabaseError, type PassingTrouble } from "../database/rows.ts";
import { ApiError } from "../errors.ts";
import { logFailure } from "../log.ts";
import type { ApiEnv } from "./env.ts";

/** How the errors of one function differ from those of another. */
export interface ErrorAnswers {
  /** Members of every error body. */
  always: Record<string, unknown>;
  /**
   * What the caller does about a trouble of the database that passes: the end of a sentence.
   * @param mayBeDone whether a change may have been made.
   */
  whenUnavailable(method: string, mayBeDone: boolean): string;
}

const DEFAULTS: ErrorAnswers = {
  always: {},
  whenUnavailable(method, mayBeDone) {
    if (method === "GET" || method === "HEAD") return "try again";
    return mayBeDone
      ? "check whether the change was made before you repeat the request"
      : "nothing was changed, so try again";
  },
};

/**
 * The error handler of a function. Answers `{ error, code, request_id }` and the members that the error adds.
 * Before any other refusal goes out, the key is judged: a caller without a valid key or without the scope
 * learns only that. An error that is not an ApiError is logged, and answered as database_unavailable or
 * internal.
 */
export function respondToError(errors: Partial<ErrorAnswers> = {}) {
  const { always, whenUnavailable } = { ...DEFAULTS, ...errors };
  return async (error: Error, c: Context<ApiEnv>): Promise<Response> => {
    const { code, message, status, parts } = await forCaller(error, c, whenUnavailable);
    const body = { ...always, error: message, code, request_id: c.var.origin.requestId };
    const details = parts.details && { details: parts.details };
    return c.json(
      { ...body, ...details, ...parts.body },
      status as ContentfulStatusCode,
      parts.headers,
    );
  };
}

async function forCaller(
  error: Error,
  c: Context<ApiEnv>,
  whenUnavailable: ErrorAnswers["whenUnavailable"],
): Promise<ApiError> {
  const { origin, caller } = c.var;
  try {
    if (!(error instanceof ApiError)) throw error;
    const isAboutKey = error.status === 401 || error.status === 403;
    if (!isAboutKey) await caller?.judge();
    return error;
  } catch (failure) { // the error itself, or the one of judging the key
    if (failure instanceof ApiError) return failure;
    if (failure instanceof DatabaseError && failure.passing) {
      const isClock = failure.passing === "clock";
      logFailure(origin, isClock ? "clock_trouble" : "database_unavailable", failure);
      const mayBeDone = failure === error && failure.mayBeCommitted;
      return databaseUnavailable(failure.passing, whenUnavailable(c.req.method, mayBeDone));
    }
    logFailure(origin, "request_failed", failure);
    return new ApiError("internal", "Internal error");
  }
}

/** The beginnings of the sentences about troubles that pass. */
const SENTENCES: Record<PassingTrouble, string> = {
  away: "The database does not answer",
  locked: "Another change holds the record",
  slow: "The database took too long",
  read_only: "The database takes no changes at the moment",
  full: "The database has no room for this request at the moment",
  clock: "The clocks of the service and of its database differ",
};

/** Many outages are over within seconds. A caller that comes back too early gets the same answer. */
const RETRY_AFTER_S = 2;

/**
 * The database is in a trouble that passes.
 * @param whatToDo the end of the sentence: what the caller does next.
 */
export function databaseUnavailable(
  trouble: PassingTrouble,
  whatToDo: string,
  body?: Record<string, unknown>,
): ApiError {
  return new ApiError("database_unavailable", `${SENTENCES[trouble]}; ${whatToDo}`, {
    body,
    headers: { "Retry-After": String(RETRY_AFTER_S) },
  });
}
