import { type Command, InvalidArgumentError } from "commander";
import { serviceUrl, withoutSlash } from "../supabase/functions/_shared/service_url.ts";
import { examples } from "./examples.ts";
import { type ChannelHealth, type JobsStatus, statusText } from "./jobs_status.ts";
import { currentNotices } from "./notices.ts";
import { OperatorError } from "./operator_error.ts";
import { JSON_OPTION, print, type Printing } from "./print.ts";
import { isProtected, openProject } from "./project.ts";

/** Adds the commands `jobs schedule`, `status` and `unschedule`. */
export function jobCommands(program: Command) {
  const jobs = program.command("jobs")
    .description(
      "Schedule the jobs of messaging accounts and the deliveries to webhooks on a Supabase " +
        "project, and see their results. The local stack needs no schedule.",
    )
    .addHelpText(
      "after",
      examples("npm run admin -- jobs schedule", "npm run admin -- jobs status"),
    );

  jobs.command("schedule")
    .description(
      "Let the database call the functions whatsapp and webhooks each minute to run the jobs " +
        "that are due. The calls contain JOBS_SECRET from the environment. Running the command " +
        "again replaces the addresses and the secret.",
    )
    .option(
      "--functions-url <url>",
      "the base URL of the functions (default: the project's)",
      functionsUrl,
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        "npm run admin -- jobs schedule",
        "npm run admin -- jobs schedule --functions-url https://api.example.com/functions/v1",
      ),
    )
    .action(scheduleJobs);

  jobs.command("status")
    .description(
      "Show whether jobs are scheduled, and when each job last ran for an account, with its " +
        "result. Also show the open deliveries to webhooks, and what the channel reports " +
        "about accounts, such as a restriction.",
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples("npm run admin -- jobs status", "npm run --silent admin -- jobs status --json"),
    )
    .action(showStatus);

  jobs.command("unschedule")
    .description(
      "Stop the schedule; the database deletes the addresses of the functions and the secret.",
    )
    .option(...JSON_OPTION)
    .addHelpText("after", examples("npm run admin -- jobs unschedule"))
    .action(unscheduleJobs);
}

/**
 * The base URL of the functions. It must use https; http is allowed only on this machine or in a
 * container network.
 */
function functionsUrl(value: string): string {
  const url = serviceUrl(value);
  if (url && isProtected(url)) {
    const address = withoutSlash(url);
    if (!/\/(whatsapp|webhooks)$/.test(address)) return address;
  }
  throw new InvalidArgumentError(
    "It must be an address with https, without the name of a function, such as https://<project>.supabase.co/functions/v1.",
  );
}

async function scheduleJobs(options: Printing & { functionsUrl?: string }) {
  const { db, rows, url: projectUrl } = openProject();
  const secret = Deno.env.get("JOBS_SECRET");
  if (!secret) {
    throw new OperatorError(
      "JOBS_SECRET is not set: set it to the JOBS_SECRET of the functions, so that they accept the " +
        "calls.",
    );
  }
  const functions = options.functionsUrl ?? `${projectUrl}/functions/v1`;
  const [url, webhooks_url] = [`${functions}/whatsapp`, `${functions}/webhooks`];
  rows(await db.rpc("schedule_jobs", { url, webhooks_url, secret }));
  print(
    options,
    { scheduled: true, url, webhooks_url },
    () =>
      `Scheduled: the database calls ${url} and ${webhooks_url} each minute for the jobs that are ` +
      "due. npm run admin -- jobs status shows their results.",
  );
}

async function showStatus(options: Printing) {
  const project = openProject();
  const { db, rows } = project;
  // the jsonb result of jobs_status()
  const jobs = rows(await db.rpc("jobs_status")) as unknown as Omit<
    JobsStatus,
    "notices" | "messages"
  >;
  const messages = rows(await db.rpc("channel_health")) as unknown as ChannelHealth;
  const connected = new Set(jobs.accounts.map(({ account_id }) => account_id));
  const notices = (await currentNotices(project))
    .filter(({ account_id }) => connected.has(account_id));
  const status: JobsStatus = { ...jobs, notices, messages };
  print(options, status, () => statusText(status));
}

async function unscheduleJobs(options: Printing) {
  const { db, rows } = openProject();
  const unscheduled = rows(await db.rpc("unschedule_jobs"));
  print(
    options,
    { scheduled: false, unscheduled },
    () => unscheduled > 0 ? "The jobs are no longer scheduled." : "No jobs were scheduled.",
  );
}
