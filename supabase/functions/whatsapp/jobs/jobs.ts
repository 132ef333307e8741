import { keepRunning } from "../../_shared/background.ts";
import { companyDb } from "../../_shared/database/company_db.ts";
import { ApiError } from "../../_shared/errors.ts";
import { channelTokenSource } from "../../_shared/key/token.ts";
import { logEvent, logFailure, logWarning, type Origin } from "../../_shared/log.ts";
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

/** The response to a call of a job: the run that has begun. */
type JobAnswer = { job: string; account_id?: string };

/**
 * Returns a function that begins a job. The job continues after the response: the database records
 * the end of the run, and the log has a line about the run. The returned function throws ApiError
 * not_found or job_running, or DatabaseError.
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
    const begun = Promise.withResolvers<"begun">();
    let hasBegun = false;
    const onBegun = () => {
      hasBegun = true;
      begun.resolve("begun");
    };
    const running: Promise<JobOutcome<object>> = job === CHANNEL_EVENTS
      ? runChannelEvents(db, origin, {
        untilMs: began + config.channelJobMs,
        onBegun,
        most: config.channelJobMost,
      })
      : JOBS[job](db, whatsapp, credentialsKeys, accountId, { untilMs: began + jobMs, onBegun });
    // The caller does not wait for the run. Scheduled calls come from pg_net: while pg_net waits
    // for a response, its open transaction delays every change feed.
    keepRunning(running.then(
      (ended) => logRun(origin, { job, accountId }, ended, performance.now() - began),
      // If the run has not begun, the error is the response to the call.
      (error) => hasBegun && logFailure(origin, "job", error, { job, account_id: accountId }),
    ));
    const first = await Promise.race([begun.promise, running]);
    switch (first === "begun" ? first : first.outcome) {
      case "busy":
        throw new ApiError(
          "job_running",
          `Another run of this job${accountId ? " for this account" : ""} is in progress`,
        );
      case "no_account":
        throw new ApiError("not_found", "No connected account has this id");
      default:
        return { job, account_id: accountId };
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
