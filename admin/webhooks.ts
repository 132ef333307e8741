import { type Command, InvalidArgumentError } from "commander";
import { COMPANY_OPTION, pastMoment, uuid } from "./arguments.ts";
import { requireCompany } from "./companies.ts";
import { EXAMPLE_COMPANY, EXAMPLE_ROW, examples } from "./examples.ts";
import { JSON_OPTION, print, type Printing } from "./print.ts";
import { openProject, type Project } from "./project.ts";
import {
  deliveriesTable,
  type Delivery,
  stateText,
  type Webhook,
  type WebhookOfCompany,
  webhooksTable,
  webhookText,
} from "./webhooks_text.ts";

/** Adds the commands `webhooks list`, `show`, `pause`, `resume` and `replay`. */
export function webhookCommands(program: Command) {
  const webhooks = program.command("webhooks")
    .description(
      "See which URLs get the events of companies, and whether the deliveries succeed. Pause, resume and repeat deliveries.",
    )
    .addHelpText(
      "after",
      examples("npm run admin -- webhooks list", `npm run admin -- webhooks show ${EXAMPLE_ROW}`),
    );

  webhooks.command("list")
    .description(
      "List the webhooks of a company, or of all companies. Webhooks that fail, or that are " +
        "paused or off, come first.",
    )
    .option(...COMPANY_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        "npm run admin -- webhooks list",
        `npm run admin -- webhooks list --company ${EXAMPLE_COMPANY}`,
      ),
    )
    .action(listWebhooks);

  webhooks.command("show")
    .description("Show a webhook, the deliveries that wait or failed, and the newest deliveries.")
    .argument("<id>", ID, uuid)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- webhooks show ${EXAMPLE_ROW}`))
    .action(showWebhook);

  webhooks.command("pause")
    .description(
      "Stop the deliveries to a webhook, for example because its receiver cannot keep up. Its " +
        "events are kept, and delivered after resume.",
    )
    .argument("<id>", ID, uuid)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- webhooks pause ${EXAMPLE_ROW}`))
    .action((id: string, options: Printing) => changeState(id, "paused", options));

  webhooks.command("resume")
    .description(
      "Start the deliveries to a webhook again, also if the webhook was switched off. Events that happened while the webhook was off are delivered only by webhooks replay.",
    )
    .argument("<id>", ID, uuid)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- webhooks resume ${EXAMPLE_ROW}`))
    .action((id: string, options: Printing) => changeState(id, "on", options));

  webhooks.command("replay")
    .description(
      "Deliver the events of a period to a webhook again. The log keeps events for 30 days. " +
        "The receiver gets each event with its original id.",
    )
    .argument("<id>", ID, uuid)
    .requiredOption(
      "--since <time>",
      "the beginning: a duration before now, such as 24h, or a date or time",
      pastMoment,
    )
    .option("--until <time>", "the end, in the same formats (default: now)", pastMoment)
    .option("--types <types>", "only these types, such as deal.won,contact.*", eventTypes)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        `npm run admin -- webhooks replay ${EXAMPLE_ROW} --since 24h`,
        `npm run admin -- webhooks replay ${EXAMPLE_ROW} --since 2026-11-20 --until 2026-11-21T12:00:00Z --types deal.won`,
      ),
    )
    .action(replayWebhook);
}

const ID = "the webhook's id, from webhooks list";

/** Event types, separated by commas: exact types, all types of a resource (deal.*), or all (*). */
function eventTypes(value: string): string[] {
  const types = value.split(",").map((type) => type.trim());
  if (types.every((type) => /^(\*|[a-z_]{1,40}\.(\*|[a-z_]{1,40}))$/.test(type))) {
    return [...new Set(types)];
  }
  throw new InvalidArgumentError(
    "It must be one or more types, such as deal.won, deal.* or *, separated by commas.",
  );
}

async function listWebhooks(options: Printing & { company?: string }) {
  const project = openProject();
  if (options.company) await requireCompany(project, options.company);
  const webhooks = project.rows(
    await project.db.rpc("webhooks_overview", { company_id: options.company, max_rows: 1000 }),
  ) as unknown as WebhookOfCompany[];
  print(options, webhooks, () => webhooksTable(webhooks));
}

/** `webhooks show` prints at most this many deliveries of each kind. */
const SHOWN = 10;

async function showWebhook(id: string, options: Printing) {
  const project = openProject();
  const { db, rows } = project;
  const webhook = rows(await db.rpc("get_webhook", { webhook_id: id })) as unknown as Webhook;
  const [waiting, failed, newest] = await Promise.all([
    deliveriesOf(project, id, "waiting"),
    deliveriesOf(project, id, "failed"),
    deliveriesOf(project, id),
  ]);
  print(options, { ...webhook, waiting, failed, newest }, () =>
    [
      webhookText(webhook),
      `Deliveries that wait:\n${deliveriesTable(waiting, "None waits.")}`,
      `Deliveries that failed:\n${deliveriesTable(failed, "None failed.")}`,
      `The newest deliveries:\n${deliveriesTable(newest, "There is none yet.")}`,
    ].join("\n\n"));
}

async function deliveriesOf(
  { db, rows }: Project,
  webhook_id: string,
  state?: string,
): Promise<Delivery[]> {
  const page = rows(await db.rpc("webhook_deliveries", { webhook_id, state, max_rows: SHOWN }));
  return (page as unknown as { data: Delivery[] }).data;
}

async function changeState(id: string, state: "on" | "paused", options: Printing) {
  const { db, rows } = openProject();
  const webhook = rows(
    await db.rpc("change_webhook", { webhook_id: id, changes: { state } }),
  ) as unknown as Webhook;
  print(options, webhook, () => `The webhook ${id} is ${stateText(webhook)}.`);
}

async function replayWebhook(
  id: string,
  options: Printing & { since: string; until?: string; types?: string[] },
) {
  const { db, rows } = openProject();
  const replay = rows(
    await db.rpc("replay_webhook", {
      webhook_id: id,
      since: options.since,
      until: options.until,
      types: options.types,
    }),
  ) as unknown as { since: string; until: string; types: string[] };
  print(
    options,
    replay,
    () =>
      `The events from ${replay.since} to ${replay.until} are delivered again: ` +
      `${replay.types.join(", ")}. npm run admin -- webhooks show ${id} shows the progress.`,
  );
}
