import { createMiddleware } from "hono/factory";
import type { ApiEnv } from "./env.ts";

const HEADER = "X-Request-Id";

/**
 * The id of a request: the caller's `X-Request-Id` if it is a valid id, otherwise a new id.
 */
export function requestIdOf(headers: Headers): string {
  const presented = headers.get(HEADER) ?? "";
  return /^[\x21-\x7e]{1,128}$/.test(presented) ? presented : crypto.randomUUID();
}

/**
 * Adds an `X-Request-Id` to every response: the caller's own if it is 1 to 128 visible ASCII
 * characters, otherwise a new UUID. The request's log lines and the events about its changes have
 * the same id. Also forbids caches to store any response, because responses contain company data.
 */
export const requestId = createMiddleware<ApiEnv>(async (c, next) => {
  const id = requestIdOf(c.req.raw.headers);
  c.set("origin", { requestId: id, method: c.req.method, path: c.req.path });
  // The header is set before the response exists. To add a header later, Hono would copy the
  // response with its body.
  c.header(HEADER, id);
  c.header("Cache-Control", "no-store");
  await next();
});
