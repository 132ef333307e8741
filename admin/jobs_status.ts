import { type AccountNotice, noticesTable } from "./notices.ts";
import { moment, printable, table } from "./print.ts";

/** The result of jobs_status(). */
export interface JobsStatus {
  scheduled: boolean;
  /** The URL of the function `whatsapp`; null if no URL is stored. */
  url: string | null;
  /** The URL of the function `webhooks`; null if no URL is stored. */
  webhooks_url: string | null;
  cron_jobs: CronJob[];
  channel: ChannelStatus;
  webhooks: DeliveryStatus;
  accounts: AccountStatus[];
  failed_calls: FailedCall[];
  /** The channel's current notices about connected accounts. */
  notices: AccountNotice[];
  messages: ChannelHealth;
}

/** The result of channel_health(): counts for the last 24 hours. */
export interface ChannelHealth {
  /** The number of messages that expired before the channel reported their delivery. */
  expired: number;
  /** The number of expired messages for which the channel sent no report. */
  expired_unreported: number;
  double_sends: number;
  /** The number of status reports about messages that are not stored yet. */
  waiting_facts: number;
  /**
   * The sends that were not delivered, grouped by outcome and reason, most frequent reason first.
   */
  failures: { outcome: "failed" | "refused" | "released"; reason: string; sends: number }[];
}

interface CronJob {
  name: string;
  schedule: string;
  active: boolean;
  last_run_at: string | null;
  last_status: string | null;
  last_message: string | null;
}

/** The channel's job, which belongs to no account, and the events that are not done. */
interface ChannelStatus {
  last_run: Run | null;
  /** The number of events that are due now. */
  due: number;
  /** When the oldest due event arrived. */
  oldest_due_at: string | null;
  /** The number of events in each state, except `done`. */
  not_done: Record<string, number>;
}

/** The deliveries of events to webhooks, as delivery_status() counts them. */
interface DeliveryStatus {
  /** When pg_cron last called the function; null if it never did. */
  called_at: string | null;
  /** The last run that ended because of an unexpected error. */
  last_failure: { failed_at: string; failure: string } | null;
  /** How many webhooks are in each state. */
  webhooks: Partial<Record<"on" | "catching_up" | "paused" | "off", number>>;
  /**
   * The number of webhooks that wait before their next attempt, because their receivers failed
   * several times.
   */
  resting: number;
  last_success_at: string | null;
  /** The number of deliveries that are still open. */
  open: number;
  /** How many open deliveries are due now. */
  due: number;
  /** When the oldest due delivery became due. */
  oldest_due_at: string | null;
}

interface AccountStatus {
  account_id: string;
  company_id: string;
  company_name: string;
  phone_number_id: string;
  display_phone: string;
  business_account_id: string | null;
  synced_at: string | null;
  sync_due_at: string | null;
  failures: number;
  templates: number;
  media_due: number;
  last_runs: Record<string, Run>;
}

interface Run {
  began_at: string;
  ended_at: string | null;
  failure: string | null;
  result: unknown;
}

interface FailedCall {
  job: string;
  /** Null for the channel's job. */
  account_id: string | null;
  called_at: string;
  status: number | null;
  error: string | null;
}

/** Formats the state of the jobs as readable text. */
export function statusText(status: JobsStatus): string {
  const { accounts, failed_calls, cron_jobs, notices } = status;
  const parts = [scheduleText(status)];
  if (cron_jobs.length > 0) parts.push(cronText(cron_jobs));
  parts.push(channelText(status.channel) + healthText(status.messages));
  parts.push(deliveryText(status.webhooks));
  parts.push(
    table(accounts, {
      COMPANY: ({ company_name }) => company_name,
      PHONE: ({ display_phone }) => display_phone,
      "BUSINESS ACCOUNT ID": ({ business_account_id }) => business_account_id ?? "unknown",
      TEMPLATES: ({ templates, business_account_id }) =>
        business_account_id === null ? "" : String(templates),
      READ: ({ synced_at, business_account_id }) =>
        business_account_id === null ? "" : moment(synced_at, "never"),
      "NEXT READING": ({ sync_due_at, business_account_id }) =>
        business_account_id === null ? "" : moment(sync_due_at, "now"),
      "MEDIA DUE": ({ media_due }) => media_due === 0 ? "" : String(media_due),
      "LAST RUNS": ({ last_runs }) => runsText(last_runs),
    }, "No messaging account is connected."),
  );
  const failures = accounts.flatMap((account) =>
    Object.entries(account.last_runs)
      .filter(([, run]) => run.failure !== null)
      .map(([job, run]) =>
        `${job} of ${account.display_phone} (account ${account.account_id}) failed: ${run.failure}`
      )
  );
  if (failures.length > 0) parts.push(failures.map(printable).join("\n"));
  if (notices.length > 0) {
    const phones = new Map(accounts.map((each) => [each.account_id, each.display_phone]));
    parts.push(`What the channel reports about accounts:\n${noticesTable(notices, phones)}`);
  }
  if (failed_calls.length > 0) {
    parts.push(`The last failed calls of the functions:\n${callsText(failed_calls)}`);
  }
  return parts.join("\n\n");
}

function scheduleText({ scheduled, url, webhooks_url }: JobsStatus): string {
  const unknown = "an address that it does not know";
  return scheduled
    ? `Jobs are scheduled: the database calls ${url ?? unknown} and ${
      webhooks_url ?? unknown
    } each minute.`
    : "Jobs are not scheduled: npm run admin -- jobs schedule starts them on a Supabase project. " +
      "The local stack needs no schedule.";
}

function channelText({ last_run, due, oldest_due_at, not_done }: ChannelStatus): string {
  const counts = Object.entries(not_done).sort().map(([state, count]) => `${count} ${state}`);
  const lines = [
    `Events of the channel: ${
      last_run ? runsText({ "channel-events": last_run }) : "no run yet"
    }. ` +
    (due === 0 ? "None is due" : `${due} are due, since ${moment(oldest_due_at, "")}`) +
    (counts.length === 0 ? "." : `; not done: ${counts.join(", ")}.`),
  ];
  if (last_run?.failure) lines.push(`The last run failed: ${printable(last_run.failure)}`);
  return lines.join("\n");
}

/** A line about problems with messages in the last 24 hours; empty when there are none. */
function healthText(health: ChannelHealth): string {
  const { expired, expired_unreported, double_sends, failures } = health;
  const troubles = [
    ...(["failed", "refused", "released"] as const).map((outcome) => {
      const found = failures.filter((each) => each.outcome === outcome);
      const all = found.reduce((sum, { sends }) => sum + sends, 0);
      const reasons = found.map(({ reason, sends }) => `${reason} ${sends}`).join(", ");
      return all > 0 && `${all} ${outcome} (${printable(reasons)})`;
    }),
    expired > 0 && `${expired} expired, ${expired_unreported} of them without any report`,
    double_sends > 0 && `${double_sends} were sent twice`,
  ].filter(Boolean);
  return troubles.length === 0 ? "" : `\nMessages in the last day: ${troubles.join("; ")}.`;
}

function deliveryText(status: DeliveryStatus): string {
  const { webhooks, resting, open, due, oldest_due_at, called_at, last_success_at } = status;
  const { last_failure } = status;
  const counts = Object.entries(webhooks).sort()
    .map(([state, count]) => `${count} ${state.replace("_", " ")}`);
  if (counts.length === 0) return "Webhooks: none.";
  const lines = [
    `Webhooks: ${counts.join(", ")}` +
    (resting > 0 ? `; ${resting} backing off after failures` : "") +
    `. Deliveries: ${open} open, ` +
    (due === 0 ? "none is due" : `${due} due since ${moment(oldest_due_at, "")}`) +
    `. Last success: ${moment(last_success_at, "never")}.`,
  ];
  if (called_at !== null) {
    lines.push(`The function webhooks was last called at ${moment(called_at, "")}.`);
  }
  if (last_failure !== null) {
    const { failed_at, failure } = last_failure;
    lines.push(`A delivery run failed at ${moment(failed_at, "")}: ${printable(failure)}`);
  }
  return lines.join("\n");
}

function cronText(jobs: CronJob[]): string {
  return table(jobs, {
    "CRON JOB": ({ name }) => name,
    SCHEDULE: ({ schedule }) => schedule,
    STATE: ({ active }) => active ? "active" : "inactive",
    "LAST RUN": ({ last_run_at }) => moment(last_run_at, "never"),
    RESULT: ({ last_status, last_message }) =>
      last_status === null || last_status === "succeeded"
        ? last_status ?? ""
        : `${last_status}: ${last_message ?? ""}`,
  }, "");
}

/** The last run of each job, as text: `template-sync 2026-11-22 06:10 UTC ok`. */
function runsText(runs: Record<string, Run>): string {
  return Object.entries(runs).sort().map(([job, { began_at, ended_at, failure }]) => {
    const end = ended_at === null ? "not ended" : failure === null ? "ok" : "failed";
    return `${job} ${moment(began_at, "")} ${end}`;
  }).join(", ");
}

function callsText(calls: FailedCall[]): string {
  return table(calls, {
    CALLED: ({ called_at }) => moment(called_at, ""),
    JOB: ({ job }) => job,
    ACCOUNT: ({ account_id }) => account_id ?? "",
    STATUS: ({ status }) => status === null ? "no answer" : String(status),
    ANSWER: ({ error }) => error ?? "",
  }, "");
}
