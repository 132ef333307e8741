import { createMiddleware } from "hono/factory";

const HEADER = "X-Request-Id";

/**
 * Gives every answer the caller's `X-Request-Id` when it is 1 to 128 visible ASCII characters, else
 * a new UUID; log lines carry the same. Answers hold company data, so nothing between may keep them.
 */
export const requestId = createMiddleware<{ Variables: { requestId: string } }>(
  async (c, next) => {
    const presented = c.req.header(HEADER) ?? "";
    const id = /^[\x21-\x7e]{1,128}$/.test(presented) ? presented : crypto.randomUUID();
    c.set("requestId", id);
    // Before there is an answer: one that has its body already would be made anew for each, as a stream.
    c.header(HEADER, id);
    c.header("Cache-Control", "no-store");
    await next();
  },
);
