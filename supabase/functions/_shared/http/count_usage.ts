import { createMiddleware } from "hono/factory";
import type { Config } from "../config.ts";
import type { ApiError } from "../errors.ts";
import type { Caller } from "../key/caller.ts";
import { usageOfKeys } from "../usage/telling.ts";
import type { ApiEnv } from "./env.ts";
import { pathOf } from "./operation.ts";

/**
 * Counts the response to each request with a known key, by status. Equal errors are also counted
 * together, with the ids of the latest requests. A streamed response is counted as soon as it
 * begins.
 *
 * @param name the function's name, which is the first part of every path.
 */
export function countUsage(config: Config, name: string) {
  const count = usageOfKeys(config);
  return createMiddleware<ApiEnv>(async (c, next) => {
    await next();
    const caller = c.get("caller");
    const refusal = c.get("refusal");
    if (!caller || !isOfKnownKey(caller, refusal)) return;
    const origin = c.get("origin");
    const operation = c.get("operation");
    const error = refusal && {
      // This code is loaded only when a request is refused.
      ...(await import("../usage/problem.ts")).problemOf(refusal),
      code: refusal.code,
      method: c.req.method,
      operation: operation?.id ?? null,
      path: operation ? pathOf(name, operation) : null,
      request_id: origin.requestId,
    };
    const { status } = c.res;
    count({ keyHash: caller.keyHash, status, error: error ?? null }, origin);
  });
}

/**
 * Whether the database has confirmed, for this request or recently, that the key exists. Requests
 * with other keys are not counted: a caller who guesses keys would fill the memory with counts.
 */
function isOfKnownKey(caller: Caller, refusal: ApiError | undefined): boolean {
  if (!refusal) return true;
  const { status } = refusal;
  // When the database refuses a key that it knows, its error has the id of that key.
  if (status === 401 || status === 403) return refusal.logFacts().key_id !== undefined;
  // If the status is 429 or 5xx, the request may not have reached the database. For an error with
  // any other status, the key was checked first.
  return status === 429 || status >= 500 ? caller.isKnown : true;
}
