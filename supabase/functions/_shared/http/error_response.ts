import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { DatabaseError } from "../database/rows.ts";
import { ApiError } from "../errors.ts";
import { logFailure } from "../log.ts";
import type { ApiEnv } from "./env.ts";

/** What the errors of one function have of their own. */
export interface ErrorAnswers {
  /** Members of every error body. */
  always: Record<string, unknown>;
  /**
   * What a caller does about a database that does not answer; completes a sentence.
   * @param mayBeDone whether a change may have been made.
   */
  whenUnavailable(method: string, mayBeDone: boolean): string;
}

const DEFAULTS: ErrorAnswers = {
  always: {},
  whenUnavailable(method, mayBeDone) {
    if (method === "GET" || method === "HEAD") return "try again";
    return mayBeDone
      ? "look whether this was done before you repeat it"
      : "nothing was changed, so try again";
  },
};

/**
 * The error handler of a function: answers `{ error, code, request_id }` with whatever the error adds.
 * The key is judged before any other refusal goes out, so that a caller without a good key, or without
 * the scope, is told that and nothing else. An error that is no ApiError is logged, and answered as
 * database_unavailable when it is that, else as internal.
 */
export function respondToError(errors: Partial<ErrorAnswers> = {}) {
  const { always, whenUnavailable } = { ...DEFAULTS, ...errors };
  return async (error: Error, c: Context<ApiEnv>): Promise<Response> => {
    const { code, message, status, parts } = await asCallerSees(error, c, whenUnavailable);
    const body = { ...always, error: message, code, request_id: c.var.origin.requestId };
    const details = parts.details && { details: parts.details };
    return c.json(
      { ...body, ...details, ...parts.body },
      status as ContentfulStatusCode,
      parts.headers,
    );
  };
}

async function asCallerSees(
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
  } catch (stronger) {
    if (stronger instanceof ApiError) return stronger;
    if (stronger instanceof DatabaseError && stronger.isUnavailable) {
      logFailure(origin, "database_unavailable", stronger);
      const mayBeDone = stronger === error && stronger.mayBeCommitted;
      return databaseUnavailable(whenUnavailable(c.req.method, mayBeDone));
    }
    logFailure(origin, "request_failed", stronger);
    return new ApiError("internal", "Internal error");
  }
}

/** An outage is over within moments or after minutes; a caller that comes back too early is told again. */
const RETRY_AFTER_S = 2;

/** @param whatToDo completes the sentence for the caller. */
export function databaseUnavailable(whatToDo: string, body?: Record<string, unknown>): ApiError {
  return new ApiError("database_unavailable", `The database does not answer; ${whatToDo}`, {
    body,
    headers: { "Retry-After": String(RETRY_AFTER_S) },
  });
}
