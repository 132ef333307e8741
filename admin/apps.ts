import type { Command } from "commander";
import { sealAppSecret } from "../supabase/functions/_shared/credentials/app_secrets.ts";
import { readAppSecrets } from "./app_input.ts";
import { appKey, nameOf } from "./arguments.ts";
import { EXAMPLE_APP, examples } from "./examples.ts";
import { OperatorError } from "./operator_error.ts";
import { JSON_OPTION, moment, print, printable, type Printing, table } from "./print.ts";
import { progress } from "./progress.ts";
import { openProject, type Project } from "./project.ts";

const SECRET = "app secret";
const VERIFY_TOKEN = "verify token";
const APP_ARGUMENT = ["<app_key>", "the app's key, from app list", appKey] as const;

/** Adds the commands `app create`, `list`, `rotate` and `delete`. */
export function appCommands(program: Command) {
  const app = program.command("app")
    .description(
      "Register apps of the channel. The platform accepts events only from registered apps.",
    )
    .addHelpText(
      "after",
      examples('npm run admin -- app create --name "Our app"', "npm run admin -- app list"),
    );

  app.command("create")
    .description(
      "Register an app of the channel, and print the callback URL to enter in the app's " +
        "settings at the channel. The app secret is read from the first line of standard input, " +
        "the verify token from the second, or both from prompts. Both are stored encrypted.",
    )
    .usage("--name <name> [options]")
    .requiredOption("--name <name>", "the app's name, as people see it", nameOf(100))
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        'npm run admin -- app create --name "Our app"',
        'npm run admin -- app create --name "Our app" < secrets.txt',
      ),
    )
    .action(createApp);

  app.command("list")
    .description("List the apps, newest first, and show how many accounts and events each app has.")
    .option(...JSON_OPTION)
    .addHelpText("after", examples("npm run admin -- app list"))
    .action(listApps);

  app.command("rotate")
    .description(
      "Give an app a new secret, read from standard input or a prompt. Events signed with the " +
        "previous secret are still accepted, until you run the command with --finish.",
    )
    .argument(...APP_ARGUMENT)
    .option("--finish", "end the rotation: only the new secret is accepted", false)
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      examples(
        `npm run admin -- app rotate ${EXAMPLE_APP}`,
        `npm run admin -- app rotate ${EXAMPLE_APP} --finish`,
      ),
    )
    .action(rotateApp);

  app.command("delete")
    .description(
      "Delete an app and its events. The command refuses to delete an app that an account uses or has used, or whose events wait to be processed.",
    )
    .argument(...APP_ARGUMENT)
    .option("--force", "delete the app anyway, with its events", false)
    .option(...JSON_OPTION)
    .addHelpText("after", examples(`npm run admin -- app delete ${EXAMPLE_APP}`))
    .action(deleteApp);
}

async function createApp(options: Printing & { name: string }) {
  const project = openProject();
  const [key] = project.credentialsKeys(); // a wrong encryption key causes an error here, before the operator types a secret
  const [secret, verifyToken] = await readAppSecrets([SECRET, VERIFY_TOKEN]);
  const app_key = crypto.randomUUID().replaceAll("-", "");
  const created = project.rows(
    await project.db.from("channel_apps").insert({
      app_key,
      name: options.name,
      sealed_secret: await sealAppSecret(secret, { app_key, kind: "secret" }, key),
      sealed_verify_token: await sealAppSecret(verifyToken, { app_key, kind: "verify_token" }, key),
    }).select("app_key, name, created_at").single(),
  );
  const callback_url = callbackUrl(project, app_key);
  print(
    options,
    { ...created, callback_url },
    () =>
      `Created the app ${printable(created.name)}; its secrets are stored encrypted.\n` +
      `  App key       ${app_key}\n` +
      `  Callback URL  ${callback_url}`,
  );
}

function callbackUrl({ url }: Project, app_key: string): string {
  return `${url}/functions/v1/whatsapp/webhook/${app_key}`;
}

/** An app, as channel_apps_status() returns it. */
interface AppStatus {
  app_key: string;
  name: string;
  rotation_began_at: string | null;
  created_at: string;
  accounts: number;
  last_event_at: string | null;
  /** The number of the app's events in each state. At most `MAX_DONE` events that are done are counted. */
  events: Record<string, number>;
}

const MAX_DONE = 10_000;

async function listApps(options: Printing) {
  const project = openProject();
  const apps = project.rows(
    await project.db.rpc("channel_apps_status"),
  ) as unknown as AppStatus[]; // the jsonb result of channel_apps_status()
  const shown = apps.map((app) => ({ ...app, callback_url: callbackUrl(project, app.app_key) }));
  const counts = ({ events }: AppStatus) =>
    Object.entries(events).map(([state, count]) =>
      state === "done" && count === MAX_DONE ? "10,000 or more done" : `${count} ${state}`
    ).join(", ");
  print(options, shown, () =>
    table(shown, {
      "APP KEY": ({ app_key }) => app_key,
      NAME: ({ name }) => name,
      ACCOUNTS: ({ accounts }) => String(accounts),
      EVENTS: (app) => counts(app) || "none",
      "LAST EVENT": ({ last_event_at }) => moment(last_event_at, "never"),
      "ROTATING SINCE": ({ rotation_began_at }) => moment(rotation_began_at, ""),
    }, "There are no apps."));
}

function noApp(app_key: string): OperatorError {
  return new OperatorError(
    `No app has the key ${app_key}: npm run admin -- app list shows the keys.`,
  );
}

/**
 * The id of an app.
 * @throws OperatorError when no app has this key.
 */
export async function appId({ db, rows }: Project, app_key: string): Promise<string> {
  const app = rows(
    await db.from("channel_apps").select("id").eq("app_key", app_key).maybeSingle(),
  );
  if (!app) throw noApp(app_key);
  return app.id;
}

async function rotateApp(app_key: string, options: Printing & { finish: boolean }) {
  const project = openProject();
  if (options.finish) return await finishRotation(project, app_key, options);
  const [key] = project.credentialsKeys();
  await appId(project, app_key); // an unknown app causes an error here, before the operator types a secret
  const [secret] = await readAppSecrets([`new ${SECRET}`]);
  const sealed_secret = await sealAppSecret(secret, { app_key, kind: "secret" }, key);
  const rotation_began_at: string | null = project.rows(
    await project.db.rpc("rotate_channel_app", { app_key, sealed_secret }),
  );
  if (rotation_began_at === null) throw noApp(app_key);
  print(
    options,
    { app_key, rotation_began_at },
    () =>
      "Both the new and the previous secret are accepted from now on. When the channel signs " +
      `with the new secret, run npm run admin -- app rotate ${app_key} --finish`,
  );
}

async function finishRotation({ db, rows }: Project, app_key: string, options: Printing) {
  const finished: boolean | null = rows(
    await db.rpc("finish_channel_app_rotation", { app_key }),
  );
  if (finished === null) throw noApp(app_key);
  print(
    options,
    { app_key, finished },
    () =>
      finished
        ? "Only the new secret is accepted now. The functions notice this within a minute."
        : "The app was not in a rotation.",
  );
}

async function deleteApp(app_key: string, options: Printing & { force: boolean }) {
  const project = openProject();
  const first = await deleteSome(project, app_key, options.force);
  let last = first;
  const tell = progress();
  for (let calls = 1; last.continues; calls++) {
    tell(`Deleted ${calls * 1000} events`);
    last = await deleteSome(project, app_key, options.force);
  }
  tell("");
  if (!last.deleted) {
    throw new OperatorError(
      `The app was not deleted: ${last.accounts} accounts use it or have used it, and ` +
        `${last.events} of its events wait to be processed. Use --force to delete it with its events.`,
    );
  }
  const { accounts, events } = first;
  print(
    options,
    { app_key, deleted: true, accounts, events },
    () => `Deleted the app ${app_key} with its events.`,
  );
}

/** The result of delete_channel_app(). If `continues` is true, the app still has events. */
interface Deletion {
  deleted: boolean;
  accounts: number;
  events: number;
  continues?: boolean;
}

async function deleteSome(
  { db, rows }: Project,
  app_key: string,
  forced: boolean,
): Promise<Deletion> {
  const deletion = rows(await db.rpc("delete_channel_app", { app_key, forced }));
  if (deletion === null) throw noApp(app_key);
  return deletion as unknown as Deletion; // the jsonb result of delete_channel_app()
}
