import { createMiddleware } from "hono/factory";
import type { ApiEnv } from "./env.ts";

const HEADER = "X-Request-Id";

/** The id of a request: the caller's when it has the form of one, else a new one. */
export function requestIdOf(headers: Headers): string {
  const presented = headers.get(HEADER) ?? "";
  return /^[\x21-\x7e]{1,128}$/.test(presented) ? presented : crypto.randomUUID();
}

/**
 * Gives every answer the caller's `X-Request-Id` when it is 1 to 128 visible ASCII characters, else a new
 * UUID. Log lines have the same id. Forbids caches to keep an answer, because answers hold company data.
 */
export const requestId = createMiddleware<ApiEnv>(async (c, next) => {
  const id = requestIdOf(c.req.raw.headers);
  c.set("origin", { requestId: id, method: c.req.method, path: c.req.path });
  // Set before there is an answer: to change the headers of an answer, Hono copies it with its body.
  c.header(HEADER, id);
  c.header("Cache-Control", "no-store");
  await next();
});
