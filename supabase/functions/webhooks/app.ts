import type { Hono } from "hono";
import * as z from "zod/mini";
import { ApiError } from "../_shared/errors.ts";
import { requireAddress } from "../_shared/http/address.ts";
import { type ApiEnv, newHono } from "../_shared/http/env.ts";
import { respondToError } from "../_shared/http/error_response.ts";
import { Id } from "../_shared/http/fields.ts";
import { requestId } from "../_shared/http/request_id.ts";
import { readBody } from "../_shared/http/validate.ts";
import { requireSecret } from "../_shared/jobs/jobs_secret.ts";
import { deliverJob } from "./deliver/job.ts";
import type { WebhooksConfig } from "./webhooks_config.ts";

const DeliverBody = z.strictObject({
  /** Delivers only this company's events. */
  company_id: z.optional(Id),
  /** Ends the run as soon as nothing is due, instead of at its time limit. */
  until_idle: z.optional(z.boolean()),
});

/** The maximum number of JSON values in the request body. */
const MAX_VALUES = 10;

/**
 * The function that delivers events to companies' receivers. Only the operator's scheduler and the
 * function itself call it: `POST /webhooks/jobs/deliver`. A caller without the jobs secret receives
 * only an error about the secret.
 */
export function webhooks(config: WebhooksConfig): Hono<ApiEnv> {
  const requireJobsSecret = requireSecret(config.jobsSecret);
  const deliver = deliverJob(config);
  return newHono()
    .use(requestId)
    .basePath("/webhooks")
    .onError(respondToError(config, { whenUnavailable: () => "send the request again" }))
    .all("/jobs/:name", async (c) => {
      const { origin } = c.var;
      await requireJobsSecret(c.req.raw.headers, origin);
      requireAddress(c.req);
      if (c.req.param("name") !== "deliver") {
        throw new ApiError("not_found", "The job does not exist; the only job is deliver");
      }
      if (c.req.method !== "POST") {
        throw new ApiError("method_not_allowed", "Run a job with POST", {
          headers: { Allow: "POST" },
        });
      }
      const { body } = await readBody(c.req.raw, { "application/json": DeliverBody }, () => [], {
        maxValues: MAX_VALUES,
        timeoutMs: config.bodyTimeoutMs,
        judge: async () => {},
      });
      const { company_id: companyId, until_idle: untilIdle = false } = body;
      return c.json({ data: await deliver({ companyId, untilIdle }, origin) }, 202);
    })
    .notFound(() => {
      throw new ApiError(
        "route_not_found",
        "The path does not exist; the only path is /webhooks/jobs/deliver",
      );
    });
}
