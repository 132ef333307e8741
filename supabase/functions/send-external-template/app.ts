import { Hono } from "hono";
import { type ApiEnv, authenticate } from "../_shared/key/authenticate.ts";
import { keepRunning } from "../_shared/background.ts";
import { ApiError } from "../_shared/errors.ts";
import { requestId } from "../_shared/http/request_id.ts";
import { respondToError } from "../_shared/http/error_response.ts";
import type { SenderConfig } from "./config.ts";
import { sendTemplate } from "./send.ts";

/** The endpoint of specification 4.10, which judges method, key and scope, payload, and then sends. */
export function sendExternalTemplate(config: SenderConfig): Hono<ApiEnv> {
  return new Hono<ApiEnv>()
    .basePath("/send-external-template")
    .onError(
      // Only a claim gets this far, and the channel is called after it.
      respondToError({ success: false }, () => "nothing was sent, so repeat the request"),
    )
    .use(requestId)
    .use(async (c, next) => {
      if (c.req.method === "POST") return await next();
      throw new ApiError("method_not_allowed", `${c.req.method} is not allowed here; use POST`, {
        headers: { Allow: "POST" },
      });
    })
    .use(authenticate(config, () => "messaging"))
    .post("/", (c) => {
      const sending = sendTemplate(c, config);
      // A caller who hangs up does not stop what has been handed to the channel from being recorded.
      keepRunning(sending.catch(() => {}));
      return sending;
    })
    .notFound((c) => {
      throw new ApiError("route_not_found", `There is no path ${c.req.path}`);
    });
}
