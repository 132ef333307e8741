import { createMiddleware } from "hono/factory";
import type { Config } from "../config.ts";
import type { ApiError } from "../errors.ts";
import type { Caller } from "../key/caller.ts";
import { usageOfKeys } from "../usage/telling.ts";
import type { ApiEnv } from "./env.ts";

/**
 * Counts the answer to each request with a key that is known, by its status; of an error also what the caller was
 * answered. A streamed answer counts as soon as it begins.
 */
export function countUsage(config: Config) {
  const count = usageOfKeys(config);
  return createMiddleware<ApiEnv>(async (c, next) => {
    await next();
    const caller = c.get("caller");
    const refusal = c.get("refusal");
    if (!caller || !isOfKnownKey(caller, refusal)) return;
    const origin = c.get("origin");
    const error = refusal && {
      code: refusal.code,
      method: c.req.method,
      operation: c.get("operation") ?? null,
      request_id: origin.requestId,
    };
    const { status } = c.res;
    count({ keyHash: caller.keyHash, status, error: error ?? null }, origin);
  });
}

/**
 * Whether the database has said, for this request or lately, that there is such a key. Whoever tries keys must not fill
 * the memory.
 */
function isOfKnownKey(caller: Caller, refusal: ApiError | undefined): boolean {
  if (!refusal) return true;
  const { status } = refusal;
  // Of a key that the database knows, it says which one it is.
  if (status === 401 || status === 403) return refusal.logFacts().key_id !== undefined;
  // The request may not have come to a statement. Before any other refusal, the key was judged.
  return status === 429 || status >= 500 ? caller.isKnown : true;
}
