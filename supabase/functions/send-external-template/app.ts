import { Hono } from "hono";
import { type ApiEnv, authenticate } from "../_shared/authenticate.ts";
import type { Config } from "../_shared/config.ts";
import { ApiError } from "../_shared/errors.ts";
import { requestId } from "../_shared/request_id.ts";
import { respondToError } from "../_shared/respond.ts";

/** The endpoint of specification 4.10: judges method and key, and says that it does not send yet. */
export function sendExternalTemplate(config: Config): Hono<ApiEnv> {
  return new Hono<ApiEnv>()
    .basePath("/send-external-template")
    .onError(respondToError({ success: false }))
    .use(requestId)
    .use(async (c, next) => {
      if (c.req.method === "POST") return await next();
      throw new ApiError("method_not_allowed", `${c.req.method} is not allowed here; use POST`, {
        headers: { Allow: "POST" },
      });
    })
    .use(authenticate(config, () => "messaging"))
    .post("/", () => {
      throw new ApiError("not_implemented", "Sending templates is not available yet");
    })
    .notFound((c) => {
      throw new ApiError("route_not_found", `There is no path ${c.req.path}`);
    });
}
