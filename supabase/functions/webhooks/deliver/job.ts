import { keepRunning, pauseUntilEnd } from "../../_shared/background.ts";
import { companyDb } from "../../_shared/database/company_db.ts";
import { DatabaseError } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";
import { webhookTokenSource } from "../../_shared/key/token.ts";
import { LineLimit } from "../../_shared/line_limit.ts";
import { logEvent, logFailure, type Origin } from "../../_shared/log.ts";
import type { WebhooksConfig } from "../webhooks_config.ts";
import { InstanceCpu } from "./cpu_time.ts";
import { DeliveryDatabase } from "./database.ts";
import type { SettledWebhook } from "./delivery.ts";
import { Run } from "./run.ts";
import { Sender } from "./sender.ts";
import { logEndedKey, logSettledWebhook } from "./webhook_lines.ts";

/** The name of the job in its path and in the log. */
export const DELIVER = "deliver";

/** The options of a run. */
export interface DeliverRequest {
  /** Deliver only this company's events. */
  companyId?: string;
  /** End the run as soon as nothing is due. */
  untilIdle: boolean;
}

/** The response to a call of the job: the run that has begun. */
type DeliverAnswer = { job: typeof DELIVER; company_id?: string };

/** The timeout of a call that starts the next run. */
const CALL_MS = 5_000;
/** The maximum number of calls that try to start the next run, and the pause between two calls. */
const [MOST_CALLS, CALL_PAUSE_MS] = [3, 1_000];

/**
 * Returns a function that begins a run of the job. The run continues after the response, and writes
 * a line about its end to the log. If the database fails at the beginning, the run begins anyway,
 * and repeats its statements. The returned function throws ApiError job_running when four other
 * runs are in progress.
 */
export function deliverJob(config: WebhooksConfig) {
  const companiesDb = companyDb(config, webhookTokenSource(config.signingKey));
  const instance = new InstanceCpu(config.cpuMs);
  return async (request: DeliverRequest, origin: Origin): Promise<DeliverAnswer> => {
    const { companyId } = request;
    const requestDb = companiesDb.forRequest(origin.requestId);
    const db = new DeliveryDatabase(requestDb, crypto.randomUUID(), companyId);
    // This statement leases no webhook. It only reserves one of the four slots for runs. A run for
    // one company needs no slot.
    const taken = await db.take(0).catch((error) => {
      if (!(error instanceof DatabaseError)) throw error;
      logFailure(origin, "deliver_database", error);
    });
    if (taken && !taken.may_run) {
      throw new ApiError("job_running", "Four other runs of this job are in progress");
    }
    // The caller does not wait for the run. Scheduled calls come from pg_net: while pg_net waits
    // for a response, its open transaction delays every change feed.
    keepRunning(
      deliver(config, db, request, origin, instance).catch((error) => failed(error, db, origin)),
    );
    return { job: DELIVER, company_id: companyId };
  };
}

/** Logs that a run ended because of an unexpected error, and records this in the database. */
async function failed(error: unknown, db: DeliveryDatabase, origin: Origin) {
  logFailure(origin, "job", error, { job: DELIVER });
  const failure =
    `The job failed unexpectedly; the log has the error with the request id ${origin.requestId}`;
  await db.fail(failure).catch((error) => logFailure(origin, "deliver_database", error));
}

async function deliver(
  config: WebhooksConfig,
  db: DeliveryDatabase,
  { companyId, untilIdle }: DeliverRequest,
  origin: Origin,
  instance: InstanceCpu,
): Promise<void> {
  const began = performance.now();
  const lines = new LineLimit(5);
  const failed = (error: DatabaseError) => {
    const facts = lines.take();
    if (facts) logFailure(origin, "deliver_database", error, facts);
  };
  await db.tidy().catch((error) => {
    if (!(error instanceof DatabaseError)) throw error;
    failed(error);
  });
  const notes = {
    told: (webhook: SettledWebhook) => logSettledWebhook(origin, webhook),
    ended: (webhookId: string) => logEndedKey(origin, webhookId),
    spent: () => callNextRun(config, { companyId, untilIdle }, origin),
    failed,
  };
  const run = new Run(config, db, new Sender(config, origin), notes, instance);
  const end = await run.run({ untilMs: began + config.runMs, untilIdle });
  const facts = { company_id: companyId, ...run.result };
  const ms = Math.round(performance.now() - began);
  logEvent(origin, "job", { job: DELIVER, outcome: end, ms, ...facts });
}

/** Calls the function again, so that another instance delivers what is due. */
function callNextRun(config: WebhooksConfig, request: DeliverRequest, origin: Origin) {
  const call = async () => {
    const answer = await fetch(`${config.supabaseUrl}/functions/v1/webhooks/jobs/${DELIVER}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${config.jobsSecret}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ company_id: request.companyId, until_idle: request.untilIdle }),
      signal: AbortSignal.timeout(CALL_MS),
    });
    await answer.body?.cancel();
    // A 409 means that four other runs are in progress. They deliver the due events.
    if (!answer.ok && answer.status !== 409) throw new Error(`The answer was ${answer.status}`);
  };
  const callUntilBegun = async () => {
    for (let calls = 1;; calls++) {
      try {
        return await call();
      } catch (error) {
        if (calls === MOST_CALLS || await pauseUntilEnd(CALL_PAUSE_MS)) throw error;
      }
    }
  };
  keepRunning(callUntilBegun().catch((error) => logFailure(origin, "deliver_next_run", error)));
}
