import { createMiddleware } from "hono/factory";
import { withinRequest } from "../database/current_request.ts";
import type { ApiEnv } from "./env.ts";

const HEADER = "X-Request-Id";

/**
 * The id of a request: the caller's `X-Request-Id` if it has the form of an id, otherwise a new
 * one.
 */
export function requestIdOf(headers: Headers): string {
  const presented = headers.get(HEADER) ?? "";
  return /^[\x21-\x7e]{1,128}$/.test(presented) ? presented : crypto.randomUUID();
}

/**
 * Gives every answer the caller's `X-Request-Id` if it is 1 to 128 visible ASCII characters,
 * otherwise a new UUID. The log lines of the request have the same id, and so have the events of
 * the changes that it makes. Also tells caches not to keep any answer, because answers contain
 * company data.
 */
export const requestId = createMiddleware<ApiEnv>(async (c, next) => {
  const id = requestIdOf(c.req.raw.headers);
  c.set("origin", { requestId: id, method: c.req.method, path: c.req.path });
  // The header is set before the answer exists: to add a header later, Hono would copy the answer
  // with its body.
  c.header(HEADER, id);
  c.header("Cache-Control", "no-store");
  await withinRequest(id, next);
});
