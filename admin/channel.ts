import { type Command, Option } from "commander";
import { appKey, countUpTo, eventStates, pastMoment, uuid } from "./arguments.ts";
import { appId } from "./apps.ts";
import { EXAMPLE_APP, EXAMPLE_ROW, examples } from "./examples.ts";
import { OperatorError } from "./operator_error.ts";
import { JSON_OPTION, moment, print, type Printing, table } from "./print.ts";
import { openProject } from "./project.ts";
import { type Replayed, replayEvents } from "./replay.ts";

const STATE = [
  "--state <states>",
  "only events in these states: stored, done, unroutable, failed, dead; separated by commas",
  eventStates,
] as const;
const SINCE = [
  "--since <moment>",
  "only events that came since this time: 24h, 7d, 2026-11-20 or 2026-11-20T18:00Z",
  pastMoment,
] as const;
const APP = ["--app <app_key>", "only events of this app", appKey] as const;

/** The options that select events. */
interface Chosen extends Printing {
  state?: string[];
  since?: string;
  app?: string;
}

/** Adds the commands `channel events` and `channel replay`. */
export function channelCommands(program: Command) {
  const channel = program.command("channel")
    .description("See the events that the channel has sent, and apply them again.")
    .addHelpText(
      "after",
      examples("npm run admin -- channel events", "npm run admin -- channel replay --since 24h"),
    );

  channel.command("events")
    .description(
      "List the events of the channel, newest first, with the state of each event, the time of the next attempt, and the reason for a failure.",
    )
    .option(...STATE)
    .option(...SINCE)
    .option(...APP)
    .option("--limit <count>", "how many to list (default: 50)", countUpTo(1000))
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        "npm run admin -- channel events --state failed,dead",
        `npm run admin -- channel events --since 24h --app ${EXAMPLE_APP}`,
      ),
    )
    .action(listEvents);

  channel.command("replay")
    .description(
      "Apply events again from their stored bytes: all events that are not done, unless you " +
        "choose other states or one event. No change is made twice. " +
        "The command ends when no event is due.",
    )
    .option(...STATE)
    .option(...SINCE)
    .option(...APP)
    .addOption(
      new Option("--event <id>", "only this event, in any state; not with the options above")
        .argParser(uuid).conflicts(["state", "since", "app"]),
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        "npm run admin -- channel replay",
        "npm run admin -- channel replay --state failed,dead --since 7d",
        `npm run admin -- channel replay --event ${EXAMPLE_ROW}`,
      ),
    )
    .action(replay);
}

async function listEvents(
  { state, since, app, limit = 50, ...options }: Chosen & { limit?: number },
) {
  const project = openProject();
  let query = project.db.from("channel_events").select(
    "id, received_at, state, attempts, next_attempt_at, processed_at, error, notes, waits_for, " +
      "app:channel_apps!inner(app_key, name)",
  );
  if (state) query = query.in("state", state);
  if (since) query = query.gte("received_at", since);
  if (app) query = query.eq("channel_app_id", await appId(project, app));
  const events = project.rows(
    await query.order("received_at", { ascending: false }).order("id").limit(limit),
  ) as unknown as ListedEvent[]; // the generated types do not include this relation
  print(options, events, () =>
    table(events, {
      RECEIVED: ({ received_at }) => moment(received_at, ""),
      APP: ({ app }) => app.name,
      STATE: ({ state }) => state,
      ATTEMPTS: ({ attempts }) => attempts === 0 ? "" : String(attempts),
      "NEXT ATTEMPT": ({ next_attempt_at }) => moment(next_attempt_at, ""),
      EVENT: ({ id }) => id,
      WHY: ({ error, notes }) => [error, ...notes].filter(Boolean).join("; "),
    }, "There are no matching events."));
}

/** A row in the output of `channel events`. */
interface ListedEvent {
  id: string;
  received_at: string;
  state: string;
  attempts: number;
  next_attempt_at: string | null;
  processed_at: string | null;
  error: string | null;
  notes: string[];
  /** The ids of phone numbers and business accounts that belong to no messaging account. */
  waits_for: string[];
  app: { app_key: string; name: string };
}

async function replay({ state, since, app, event, ...options }: Chosen & { event?: string }) {
  const project = openProject();
  if (app) await appId(project, app); // an unknown app causes an error here
  const replayed = await replayEvents(project, {
    states: state,
    since,
    app_key: app,
    event_id: event,
  });
  if (event && replayed.marked === 0) {
    const found = project.rows(
      await project.db.from("channel_events").select("id").eq("id", event).maybeSingle(),
    );
    if (!found) {
      throw new OperatorError(`There is no event ${event}: events are deleted after 30 days.`);
    }
  }
  print(options, replayed, () => replayText(replayed));
}

function replayText({ marked, applied, states }: Replayed): string {
  if (marked + applied === 0) return "There is nothing to replay.";
  const counts = Object.entries(states).sort().map(([state, count]) => `${count} ${state}`);
  return `Marked ${marked} events; applied ${applied} due events: ${counts.join(", ") || "none"}.` +
    (states.done === applied ? "" : " npm run admin -- channel events says why.");
}
