import { Hono } from "hono";
import * as z from "zod";
import { ApiError } from "../_shared/errors.ts";
import { requireAddress } from "../_shared/http/address.ts";
import type { ApiEnv } from "../_shared/http/env.ts";
import { respondToError } from "../_shared/http/error_response.ts";
import { Id } from "../_shared/http/fields.ts";
import { requestId } from "../_shared/http/request_id.ts";
import { readBody } from "../_shared/http/validate.ts";
import type { WhatsappConfig } from "./config.ts";
import { CHANNEL_EVENTS } from "./channel_events_job.ts";
import { JOB_NAMES, jobs } from "./jobs.ts";
import { requireSecret } from "./jobs_secret.ts";
import { replies } from "./replies/app.ts";
import { webhook } from "./webhook.ts";

const AccountJobBody = z.strictObject({ account_id: Id });
const ChannelJobBody = z.strictObject({});
/** Far more values than the body of a job has. */
const MAX_VALUES = 100;

/**
 * The channel's own door. The channel itself calls `/whatsapp/webhook/{app_key}`: GET verifies the address, POST
 * brings an event. The operator's scheduler calls `POST /whatsapp/jobs/{name}`, which runs a job for one account, or that
 * of the channel itself. Callers with an API key call `POST /whatsapp/messages`, a free reply. Nothing is told to a
 * caller without the secret of the app or of the jobs, or the key.
 */
export function whatsapp(config: WhatsappConfig): Hono<ApiEnv> {
  const requireJobsSecret = requireSecret(config.jobsSecret);
  const run = jobs(config);
  const { verify, receive } = webhook(config, noSuchPath);
  const ofKeys = replies(config);
  return new Hono<ApiEnv>()
    // Before all else: what callers with a key are answered is that part's own matter, also errors.
    .all("/whatsapp/messages/*", (c) => ofKeys.fetch(c.req.raw))
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
          `There is no such job; the jobs are ${JOB_NAMES.join(", ")}`,
        );
      }
      if (c.req.method !== "POST") {
        throw new ApiError("method_not_allowed", "A job is run by POST", {
          headers: { Allow: "POST" },
        });
      }
      const reading = {
        maxValues: MAX_VALUES,
        timeoutMs: config.bodyTimeoutMs,
        judge: async () => {},
      };
      if (job === CHANNEL_EVENTS) {
        await readBody(c.req.raw, { "application/json": ChannelJobBody }, [], reading);
        return c.json({ data: await run({ job }, origin) });
      }
      const { account_id } = await readBody(
        c.req.raw,
        { "application/json": AccountJobBody },
        [],
        reading,
      );
      return c.json({ data: await run({ job, accountId: account_id }, origin) });
    })
    .get("/webhook/:appKey", verify)
    .post("/webhook/:appKey", receive)
    .all("/webhook/:appKey", () => {
      // Whatever the app: this tells nobody whether there is one.
      throw new ApiError("method_not_allowed", "An event is sent by POST", {
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
    "There is no such path; the paths are /whatsapp/messages, /whatsapp/webhook/{app_key} and /whatsapp/jobs/{name}",
  );
}
