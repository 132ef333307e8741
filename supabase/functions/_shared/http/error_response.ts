import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ApiEnv, judgeKey } from "../key/authenticate.ts";
import { DatabaseError } from "../database/company_db.ts";
import { ApiError } from "../errors.ts";
import { logFailure } from "../log.ts";

/**
 * The error handler of a function: answers `{ error, code, request_id }` with whatever the error
 * adds. Who has no valid key, or not the scope, is told that and nothing else, so the key is judged
 * before any other refusal goes out. What is not an ApiError is logged, and answered as
 * database_unavailable when it is that, else as internal.
 *
 * @param always members that every error body of the function has.
 * @param unavailable what a caller does about a database that does not answer.
 */
export function respondToError(always: Record<string, unknown> = {}, unavailable = whatToDo) {
  return async (error: Error, c: Context<ApiEnv>): Promise<Response> => {
    const { code, message, status, parts } = await asCallerSees(error, c, unavailable);
    const body = { ...always, error: message, code, request_id: c.var.requestId };
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
  unavailable: typeof whatToDo,
): Promise<ApiError> {
  try {
    if (!(error instanceof ApiError)) throw error;
    const isAboutKey = error.status === 401 || error.status === 403;
    // A refusal of the method comes before any key is read, and then there is no database to ask.
    if (!isAboutKey && c.var.db) await judgeKey(c);
    return error;
  } catch (stronger) {
    if (stronger instanceof ApiError) return stronger;
    if (stronger instanceof DatabaseError && stronger.isUnavailable) {
      logFailure(c, "database_unavailable", stronger);
      const mayBeDone = stronger === error && stronger.mayBeCommitted;
      return databaseUnavailable(unavailable(c.req.method, mayBeDone));
    }
    logFailure(c, "request_failed", stronger);
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

function whatToDo(method: string, mayBeDone: boolean): string {
  if (method === "GET" || method === "HEAD") return "try again";
  return mayBeDone
    ? "look whether this was done before you repeat it"
    : "nothing was changed, so try again";
}
