import { createMiddleware } from "hono/factory";
import type { ApiEnv } from "./env.ts";

/**
 * Gives a HEAD response the Content-Length that the response to a GET would have. Otherwise the
 * length would be 0, because Hono drops the body.
 */
export const headLength = createMiddleware<ApiEnv>(async (c, next) => {
  await next();
  if (c.req.method !== "HEAD" || !c.res.body) return;
  let length = 0;
  for await (const { byteLength } of c.res.body) length += byteLength;
  const { status, headers } = c.res;
  c.res = new Response(null, { status, headers });
  c.header("Content-Length", String(length));
});
