import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ApiEnv, judgeKey } from "./authenticate.ts";
import { ApiError } from "./errors.ts";
import { logFailure } from "./log.ts";

/**
 * The error handler of a function: answers `{ error, code, request_id }` with whatever the error
 * adds. Who has no valid key, or not the scope, is told that and nothing else, so the key is judged
 * before any other refusal goes out. What is not an ApiError is logged and answered as internal.
 *
 * @param always members that every error body of the function has.
 */
export function respondToError(always: Record<string, unknown> = {}) {
  return async (error: Error, c: Context<ApiEnv>): Promise<Response> => {
    const { code, message, status, parts } = await asCallerSees(error, c);
    const body = { ...always, error: message, code, request_id: c.var.requestId };
    const details = parts.details && { details: parts.details };
    return c.json(
      { ...body, ...details, ...parts.body },
      status as ContentfulStatusCode,
      parts.headers,
    );
  };
}

async function asCallerSees(error: Error, c: Context<ApiEnv>): Promise<ApiError> {
  try {
    if (!(error instanceof ApiError)) throw error;
    const isAboutKey = error.status === 401 || error.status === 403;
    // A refusal of the method comes before any key is read, and then there is no database to ask.
    if (!isAboutKey && c.var.db) await judgeKey(c);
    return error;
  } catch (stronger) {
    if (stronger instanceof ApiError) return stronger;
    logFailure(c, "request_failed", stronger);
    return new ApiError("internal", "Internal error");
  }
}
