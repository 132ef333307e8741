import { createMiddleware } from "hono/factory";
import type { ApiEnv } from "../_shared/http/env.ts";

/**
 * Allows the settings page to call the function from its own origin. Any origin may call, because
 * each request needs a bearer token, which a browser never sends by itself. The Data API also
 * allows any origin.
 */
export const browserAccess = createMiddleware<ApiEnv>(async (c, next) => {
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", "X-Request-Id");
  if (c.req.method !== "OPTIONS") return await next();
  c.header("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
  c.header(
    "Access-Control-Allow-Headers",
    "authorization, apikey, content-type, x-client-info, x-request-id",
  );
  c.header("Access-Control-Max-Age", "7200");
  return c.body(null, 204);
});
