import type { Hono } from "hono";
import * as z from "zod/mini";
import { ApiError } from "../_shared/errors.ts";
import { requireAddress } from "../_shared/http/address.ts";
import { type ApiEnv, newHono } from "../_shared/http/env.ts";
import { respondToError } from "../_shared/http/error_response.ts";
import { Id } from "../_shared/http/fields.ts";
import { requestId } from "../_shared/http/request_id.ts";
import { readBody } from "../_shared/http/validate.ts";
import type { WhatsappConfig } from "./whatsapp_config.ts";
import { CHANNEL_EVENTS } from "./jobs/channel_events_job.ts";
import { JOB_NAMES, jobs } from "./jobs/jobs.ts";
import { requireSecret } from "../_shared/jobs/jobs_secret.ts";
import { media } from "./media/media.ts";
import { replies } from "./replies/replies.ts";
import { webhook } from "./events/webhook.ts";

const AccountJobBody = z.strictObject({ account_id: Id });
const ChannelJobBody = z.strictObject({});
/** The maximum number of JSON values in the body of a job request. */
const MAX_VALUES = 100;

/**
 * The function for the messaging channel, WhatsApp.
 * - The channel calls `/whatsapp/webhook/{app_key}`: GET verifies the URL, and POST delivers an
 *   event.
 * - The operator's scheduler calls `POST /whatsapp/jobs/{name}`, which begins a job for one
 *   account, or the job `channel-events`.
 * - Callers with an API key call the paths below `/whatsapp/messages` for free replies, read marks
 *   and reactions, and the paths below `/whatsapp/media` for uploads.
 * A caller without the secret or the key that a path needs receives only an error. This error does
 * not reveal whether an app, an account or a record exists.
 */
export function whatsapp(config: WhatsappConfig): Hono<ApiEnv> {
  const requireJobsSecret = requireSecret(config.jobsSecret);
  const run = jobs(config);
  const { verify, receive } = webhook(config, noSuchPath);
  const [ofReplies, ofMedia] = [replies(config), media(config)];
  return newHono()
    // These routes come first, because they have their own responses and errors for callers with a
    // key.
    .all("/whatsapp/messages/*", (c) => ofReplies.fetch(c.req.raw))
    .all("/whatsapp/media/*", (c) => ofMedia.fetch(c.req.raw))
    .use(requestId)
    .basePath("/whatsapp")
    .onError(respondToError(config, { whenUnavailable: () => "send the request again" }))
    .all("/jobs/:name", async (c) => {
      const { origin } = c.var;
      await requireJobsSecret(c.req.raw.headers, origin);
      requireAddress(c.req);
      const job = JOB_NAMES.find((name) => name === c.req.param("name"));
      if (!job) {
        throw new ApiError(
          "not_found",
          `The job does not exist; the jobs are ${JOB_NAMES.join(", ")}`,
        );
      }
      if (c.req.method !== "POST") {
        throw new ApiError("method_not_allowed", "Run a job with POST", {
          headers: { Allow: "POST" },
        });
      }
      const reading = {
        maxValues: MAX_VALUES,
        timeoutMs: config.bodyTimeoutMs,
        judge: async () => {},
      };
      if (job === CHANNEL_EVENTS) {
        await readBody(c.req.raw, { "application/json": ChannelJobBody }, () => [], reading);
        return c.json({ data: await run({ job }, origin) }, 202);
      }
      const { body: { account_id } } = await readBody(
        c.req.raw,
        { "application/json": AccountJobBody },
        () => [],
        reading,
      );
      return c.json({ data: await run({ job, accountId: account_id }, origin) }, 202);
    })
    .get("/webhook/:appKey", verify)
    .post("/webhook/:appKey", receive)
    .all("/webhook/:appKey", () => {
      // The response is the same for every path, so that no one learns whether an app exists.
      throw new ApiError("method_not_allowed", "Send an event with POST", {
        headers: { Allow: "GET, HEAD, POST" },
      });
    })
    .notFound(() => {
      throw noSuchPath();
    });
}

function noSuchPath(): ApiError {
  return new ApiError(
    "route_not_found",
    "The path does not exist; the paths are /whatsapp/messages, /whatsapp/media, /whatsapp/webhook/{app_key} and /whatsapp/jobs/{name}",
  );
}
