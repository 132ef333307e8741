import { createMiddleware } from "hono/factory";
import type { ApiEnv } from "./env.ts";

const HEADER = "X-Request-Id";

/**
 * Gives every answer the caller's `X-Request-Id` when it is 1 to 128 visible ASCII characters, else
 * a new UUID; log lines carry the same. Answers hold company data, so no cache on the way may keep them.
 */
export const requestId = createMiddleware<ApiEnv>(async (c, next) => {
  const presented = c.req.header(HEADER) ?? "";
  const id = /^[\x21-\x7e]{1,128}$/.test(presented) ? presented : crypto.randomUUID();
  c.set("origin", { requestId: id, method: c.req.method, path: c.req.path });
  // Set before there is an answer: Hono copies a finished one, body and all, to change its headers.
  c.header(HEADER, id);
  c.header("Cache-Control", "no-store");
  await next();
});
