import { keepRunning } from "../../_shared/background.ts";
import { companyDb } from "../../_shared/database/company_db.ts";
import { DatabaseError } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";
import { webhookTokenSource } from "../../_shared/key/token.ts";
import { LineLimit } from "../../_shared/line_limit.ts";
import { logEvent, logFailure, logWarning, type Origin } from "../../_shared/log.ts";
import type { WebhooksConfig } from "../webhooks_config.ts";
import { DeliveryDatabase } from "./database.ts";
import type { SettledWebhook } from "./delivery.ts";
import { Run, type RunResult } from "./run.ts";
import { Sender } from "./sender.ts";

/** The name of the job in its path and in the log. */
export const DELIVER = "deliver";

/** The options of a run. */
export interface DeliverRequest {
  /** Deliver only this company's events. */
  companyId?: string;
  /** End the run as soon as nothing is due. */
  untilIdle: boolean;
}

/** The response to a run. */
type DeliverAnswer = { job: typeof DELIVER; company_id?: string } & RunResult;

/** The timeout of the call that starts the next run. After the timeout, the next run continues. */
const CALL_MS = 2_000;

/**
 * Returns a function that runs the job once, and writes a line about the run to the log. That
 * function throws ApiError job_running when four other runs are in progress; otherwise the errors
 * of the run.
 */
export function deliverJob(config: WebhooksConfig) {
  const db = companyDb(config, webhookTokenSource(config.signingKey));
  return async (request: DeliverRequest, origin: Origin): Promise<DeliverAnswer> => {
    const running = deliver(config, db.forRequest(origin.requestId), request, origin);
    // If the caller disconnects, the run continues.
    keepRunning(running.catch(() => {}));
    return await running;
  };
}

async function deliver(
  config: WebhooksConfig,
  companyDb: DeliveryDatabase["db"],
  { companyId, untilIdle }: DeliverRequest,
  origin: Origin,
): Promise<DeliverAnswer> {
  const began = performance.now();
  const db = new DeliveryDatabase(companyDb, crypto.randomUUID(), companyId);
  const lines = new LineLimit(5);
  const failed = (error: DatabaseError) => {
    const facts = lines.take();
    if (facts) logFailure(origin, "deliver_database", error, facts);
  };
  await db.tidy().catch((error) => {
    if (!(error instanceof DatabaseError)) throw error;
    failed(error);
  });
  const run = new Run(config, db, new Sender(config, origin), {
    told: (webhook) => logWebhook(origin, webhook),
    ended: (webhook_id) =>
      logWarning(origin, "webhook_switched_off", { webhook_id, why: "key_ended" }),
    failed,
  });
  const end = await run.run({ untilMs: began + config.runMs, untilIdle });
  const facts = { company_id: companyId, ...run.result };
  const ms = Math.round(performance.now() - began);
  logEvent(origin, "job", { job: DELIVER, outcome: end, ms, ...facts });
  if (end === "busy") {
    throw new ApiError("job_running", "Four other runs of this job are in progress");
  }
  if (end === "budget") callNextRun(config, { companyId, untilIdle }, origin);
  return { job: DELIVER, ...facts };
}

function logWebhook(origin: Origin, { told, id, company_id, ...state }: SettledWebhook) {
  const { failures, why, paused_until } = state;
  const facts = { webhook_id: id, company_id };
  if (told === "resumed") logEvent(origin, "webhook_resumed", facts);
  else if (told === "paused") {
    logEvent(origin, "webhook_paused", { ...facts, failures, paused_until });
  } else logWarning(origin, "webhook_switched_off", { ...facts, failures, why });
}

/** Calls the function again, so that another instance delivers what is due. */
function callNextRun(config: WebhooksConfig, request: DeliverRequest, origin: Origin) {
  const call = fetch(`${config.supabaseUrl}/functions/v1/webhooks/jobs/${DELIVER}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${config.jobsSecret}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ company_id: request.companyId, until_idle: request.untilIdle }),
    signal: AbortSignal.timeout(CALL_MS),
  }).then((answer) => answer.body?.cancel());
  keepRunning(call.catch((error) => {
    // The response comes at the end of the next run, so the call usually ends with a timeout, which
    // is not an error.
    if (error?.name !== "TimeoutError") logFailure(origin, "deliver_next_run", error);
  }));
}
