import { keepRunning } from "../../_shared/background.ts";
import { companyDb } from "../../_shared/database/company_db.ts";
import { ApiError } from "../../_shared/errors.ts";
import { channelTokenSource } from "../../_shared/key/token.ts";
import { logEvent, logWarning, type Origin } from "../../_shared/log.ts";
import type { JobOutcome } from "../../_shared/templates/account_job.ts";
import { syncTemplates, uploadDueMedia } from "../../_shared/templates/template_sync.ts";
import { CHANNEL_EVENTS, runChannelEvents } from "./channel_events_job.ts";
import type { WhatsappConfig } from "../whatsapp_config.ts";

/** The jobs for one account. */
const JOBS = { "template-sync": syncTemplates, "template-media": uploadDueMedia };

type AccountJob = keyof typeof JOBS;

/** The names of all jobs, as used in the path. */
export const JOB_NAMES: (AccountJob | typeof CHANNEL_EVENTS)[] = [
  CHANNEL_EVENTS,
  ...Object.keys(JOBS) as AccountJob[],
];

/** A job, with its account if the job needs an account. */
export type Job =
  | { job: typeof CHANNEL_EVENTS; accountId?: undefined }
  | { job: AccountJob; accountId: string };

/** The response to a successful run: the job, its account, and the result. */
type JobAnswer = { job: string; account_id?: string } & Record<string, unknown>;

/**
 * Returns a function that runs a job, and writes a line about the run to the log. That function
 * throws ApiError not_found, job_running or job_failed; DatabaseError.
 */
export function jobs(config: WhatsappConfig) {
  const { whatsapp, credentialsKeys, jobMs, jobDatabaseTimeoutMs } = config;
  const jobsDb = companyDb(
    { ...config, databaseTimeoutMs: jobDatabaseTimeoutMs },
    channelTokenSource(config.signingKey),
  );
  return async ({ job, accountId }: Job, origin: Origin): Promise<JobAnswer> => {
    const began = performance.now();
    const db = jobsDb.forRequest(origin.requestId);
    const time = { untilMs: began + jobMs };
    const running: Promise<JobOutcome<object>> = job === CHANNEL_EVENTS
      ? runChannelEvents(db, origin, {
        untilMs: began + config.channelJobMs,
        most: config.channelJobMost,
      })
      : JOBS[job](db, whatsapp, credentialsKeys, accountId, time);
    // If the caller disconnects, the run continues, and its end is recorded.
    keepRunning(running.catch(() => {}));
    const ended = await running;
    logRun(origin, { job, accountId }, ended, performance.now() - began);
    switch (ended.outcome) {
      case "done":
        return { job, account_id: accountId, ...ended.result };
      case "failed":
        throw new ApiError("job_failed", ended.failure);
      case "busy":
        throw new ApiError(
          "job_running",
          `Another run of this job${accountId ? " for this account" : ""} is in progress`,
        );
      case "no_account":
        throw new ApiError("not_found", "No connected account has this id");
    }
  };
}

function logRun(
  origin: Origin,
  { job, accountId }: { job: string; accountId?: string },
  ended: JobOutcome<object>,
  ms: number,
) {
  const facts = { job, account_id: accountId, outcome: ended.outcome, ms: Math.round(ms) };
  if (ended.outcome === "failed") {
    logWarning(origin, "job", { ...facts, failure: ended.failure });
  } else {
    logEvent(origin, "job", { ...facts, ...(ended.outcome === "done" && ended.result) });
  }
}
