import { bootstrap, connect, databaseUrl, migrate, seed, type Sql } from "./postgres/database.ts";
import {
  connectDemoAccount,
  type DemoApp,
  demoKey,
  makeDemoApp,
  renewSandboxCatalogues,
} from "./demo.ts";
import { authHost } from "./auth/auth.ts";
import { demoPeople, type DemoPerson } from "./auth/demo_people.ts";
import { mailbox } from "./auth/mailbox.ts";
import { refuseOtherFolder } from "./data_folder.ts";
import { runDeliveries } from "./deliveries.ts";
import { serveDocs } from "./docs.ts";
import { openDoor } from "./door.ts";
import { functionEnvironment } from "./functions/environment.ts";
import { writePrivately } from "./files.ts";
import { endFunctions, type FunctionsHost, loadFunctions } from "./functions/host.ts";
import { lockFolder } from "./folder_lock.ts";
import { runDueJobs } from "./jobs.ts";
import { openWindows } from "./open_windows.ts";
import { startPostgres } from "./postgres/server.ts";
import { whyUnheard } from "./unheard_numbers.ts";
import { startRest } from "./rest/rest.ts";
import { sandboxHost, type SandboxHostOptions } from "../sandbox/host.ts";
import type { SandboxOptions } from "../sandbox/sandbox.ts";
import { loadSecrets } from "./secrets.ts";
import { serveSettings } from "./settings.ts";
import { webhookSecrets } from "./webhook_secrets.ts";

export interface StackOptions {
  /**
   * The folder with the database, the secrets and stack.json. The stack creates this folder if it
   * is missing.
   */
  folder: string;
  /** The port of the HTTP server on 127.0.0.1; 0 means any free port. */
  port: number;
  /** Start from an empty database. */
  fresh: boolean;
  /** Write the demo data if it has not been written yet. */
  seed: boolean;
  /** false is faster, but a power cut may lose data; for tests. */
  durable: boolean;
  /** The URL of the WhatsApp API; the sandbox if missing. */
  whatsappApiUrl?: string;
  /**
   * Run the jobs of messaging accounts when they are due, and deliver events to webhooks, as pg_cron
   * does on a hosted project.
   */
  jobs?: boolean;
  /** Let the sandbox post its events to its app's webhook, as the channel does. */
  events?: boolean;
  /** Serve the documentation at /docs/, and let errors link to it. */
  docs?: boolean;
  /** Wraps the functions, for tests that examine every request and response. */
  around?(functions: FunctionsHost): FunctionsHost;
  /** Called with the name of each step that may take a moment. */
  progress(step: string): void;
  /**
   * Ends a start that is in progress. The start ends everything that it has started, and then
   * fails.
   */
  signal?: AbortSignal;
}

/** The content of stack.json, for programs. */
export interface StackAddresses {
  url: string;
  gateway_url: string;
  template_url: string;
  whatsapp_url: string;
  /**
   * The URL of the WhatsApp API that the functions call: the sandbox, unless another API is used.
   */
  channel_url: string;
  /**
   * The URL of the list of messages that the sandbox accepted; null when another WhatsApp API is
   * used.
   */
  sandbox_url: string | null;
  /** The URL of the documentation; null when this stack does not serve it. */
  docs_url: string | null;
  /**
   * The URL of the page on which a company manages its API keys; null when this stack does not
   * serve the page.
   */
  settings_url: string | null;
  /** The URL of the page with the e-mails that a hosted project would send. */
  mail_url: string | null;
  /** The URL of the function that delivers events to webhooks. */
  webhooks_url: string;
  /**
   * The URL of the page that shows what webhooks delivered. Each name below this URL is a receiver.
   * Null when this stack has no receiver.
   */
  receiver_url: string | null;
  database_url: string;
  publishable_key: string;
  secret_key: string;
  /**
   * The demo company's users who can sign in with a password; null without the demo company.
   */
  people: DemoPerson[] | null;
  /** null when the demo company was not written or has been deleted. */
  demo: { company_id: string; api_key: string } | null;
  /** The sandbox's app, which signs events; null without the demo company, or when another API is used. */
  channel_app: (DemoApp & { callback_url: string }) | null;
}

export interface Stack {
  addresses: StackAddresses;
  /** Resolves when the database ends although stop() was not called. */
  failed: Promise<void>;
  /** Ends all parts, in reverse order. */
  stop(): Promise<void>;
}

const FUNCTION_NAMES = ["gateway", "send-external-template", "settings", "webhooks", "whatsapp"];

/**
 * Starts the database, the Data API and all functions. All parts run in this process, except
 * Postgres, which is its only child process. A process can have only one stack, because the
 * functions read their configuration from the environment.
 *
 * @throws FolderInUse, PortTaken, or an Error whose message says what did not start.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { folder, progress, signal } = options;
  await refuseOtherFolder(folder);
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });

  // Ends the parts in reverse order, either in stop() or when a later part fails to start.
  await using starting = new AsyncDisposableStack();
  const lock = await lockFolder(folder);
  starting.defer(lock.release);
  // A killed stack's file would contain URLs at which no server listens.
  await removeFile(`${folder}/stack.json`);
  const sandboxOptions = Promise.withResolvers<SandboxHostOptions>();
  const sandbox = sandboxHost(sandboxOptions.promise);
  const door = openDoor(options.port, sandbox.fetch);
  starting.defer(door.close);
  const url = `http://127.0.0.1:${door.port}`;
  await lock.note({ pid: Deno.pid, url, since: new Date().toISOString() });

  const secrets = await loadSecrets(`${folder}/secrets.json`);
  const whatsappApiUrl = options.whatsappApiUrl ?? `${url}/sandbox/v26.0`;
  const docsUrl = options.docs ? `${url}/docs` : null;
  const environment = functionEnvironment(url, secrets, whatsappApiUrl, docsUrl);
  for (const [name, value] of Object.entries(environment)) Deno.env.set(name, value);
  const loadingFunctions = loadFunctions(FUNCTION_NAMES);
  loadingFunctions.catch(() => {}); // awaited below; an earlier step may fail first

  const password = secrets.database_password;
  const database = await startPostgres({
    dataFolder: `${folder}/data`,
    fresh: options.fresh,
    port: door.port + 1,
    password,
    logFile: `${folder}/postgres.log`,
    durable: options.durable,
  });
  let stopping = false;
  starting.defer(async () => {
    stopping = true;
    await database.stop();
  });

  const admin = connect(database.port, "supabase_admin", password);
  const owner = connect(database.port, "postgres", password);
  for (const sql of [owner, admin]) starting.defer(() => sql.end({ timeout: 1 }));
  using _cancelling = cancelWhenAborted(admin, signal);
  signal?.throwIfAborted();
  await bootstrap(admin, password);
  for await (const file of migrate(owner)) progress(`applied ${file}`);
  if (options.seed && await seed(owner)) progress("wrote the demo data of supabase/seed.sql");
  const isSandbox = options.whatsappApiUrl === undefined;
  await connectDemoAccount(owner, isSandbox ? secrets.credentials_key : null);
  if (isSandbox) await renewSandboxCatalogues(owner);
  const app = isSandbox ? await makeDemoApp(owner, secrets.credentials_key) : null;

  const rest = await startRest({
    url: databaseUrl(database.port, "authenticator", password),
    privilegedUrl: databaseUrl(database.port, "supabase_admin", password),
    jwtSecret: secrets.jwt_secret,
    publishableKey: secrets.publishable_key,
    secretKey: secrets.secret_key,
  });
  starting.defer(rest.close);
  const mails = mailbox();
  const auth = authHost({
    url: databaseUrl(database.port, "supabase_auth_admin", password),
    origin: url,
    jwtSecret: secrets.jwt_secret,
    publishableKey: secrets.publishable_key,
    secretKey: secrets.secret_key,
    mailbox: mails,
  });
  starting.defer(auth.close);
  const functions = await loadingFunctions;
  // These two calls use different connections, so that neither waits for the other.
  const [demo, people] = await Promise.all([demoKey(owner), demoPeople(admin, secrets)]);
  const docs = docsUrl
    ? serveDocs({ apiKey: demo?.api_key ?? null, port: door.port, folder })
    : null;
  const settings = serveSettings({ publishableKey: secrets.publishable_key, hasDocs: !!docsUrl });
  for (const site of [settings, docs]) starting.defer(() => site?.stop());
  door.open({
    rest: rest.fetch,
    functions: options.around?.(functions) ?? functions,
    auth: auth.fetch,
    mail: mails.fetch,
    settings: settings.fetch,
    docs: docs?.fetch,
  });

  const addresses: StackAddresses = {
    url,
    gateway_url: `${url}/functions/v1/gateway`,
    template_url: `${url}/functions/v1/send-external-template`,
    whatsapp_url: `${url}/functions/v1/whatsapp`,
    channel_url: whatsappApiUrl,
    sandbox_url: isSandbox ? `${url}/sandbox/messages` : null,
    docs_url: docsUrl && `${docsUrl}/`,
    settings_url: `${url}/settings/`,
    mail_url: `${url}/sandbox/mail`,
    webhooks_url: `${url}/functions/v1/webhooks`,
    receiver_url: `${url}/sandbox/webhooks`,
    database_url: databaseUrl(database.port, "postgres", password),
    publishable_key: secrets.publishable_key,
    secret_key: secrets.secret_key,
    people,
    demo,
    channel_app: app &&
      { ...app, callback_url: `${url}/functions/v1/whatsapp/webhook/${app.app_key}` },
  };
  sandboxOptions.resolve({
    ...(options.events && addresses.channel_app && eventsTo(addresses.channel_app, owner)),
    windows: await openWindows(owner),
    secretsOf: webhookSecrets(owner, secrets.credentials_key),
  });
  await writePrivately(`${folder}/stack.json`, addresses);
  starting.defer(() => removeFile(`${folder}/stack.json`));
  // The HTTP server (the door) closes first, so that no request reaches a stack that has partly
  // ended.
  starting.defer(door.close);
  signal?.throwIfAborted();
  const deliveries = options.jobs
    ? runDeliveries(owner, addresses.webhooks_url, secrets.jobs_secret)
    : null;
  starting.defer(sandbox.stop);
  starting.defer(endFunctions);
  // The next step of stopping ends the functions, and with them the delivery run in progress. From
  // now on, no other run may begin.
  starting.defer(async () => await deliveries?.stop());
  if (options.jobs) {
    const jobs = runDueJobs(owner, addresses.whatsapp_url, secrets.jobs_secret);
    starting.defer(jobs.stop);
  }

  const started = starting.move();
  return {
    addresses,
    failed: database.ended.then(() => stopping ? new Promise<void>(() => {}) : undefined),
    stop: () => started.disposeAsync(),
  };
}

/** Lets the sandbox post its events to an app of this stack. */
function eventsTo(
  { app_key, app_secret, callback_url }: NonNullable<StackAddresses["channel_app"]>,
  owner: Sql,
): SandboxOptions {
  return {
    webhook: () => ({ url: callback_url, secret: app_secret }),
    whyUnheard: (phoneNumberId) => whyUnheard(owner, phoneNumberId, app_key),
  };
}

/**
 * Once the signal aborts, cancels every statement of the tables' owner, until the result is
 * disposed of.
 */
function cancelWhenAborted(admin: Sql, signal?: AbortSignal): Disposable {
  const stack = new DisposableStack();
  // A migration may take long, or wait forever. The statements are cancelled repeatedly, because
  // the next migration may be about to begin.
  const cancel = () => {
    const cancelling = setInterval(() => cancelStatements(admin).catch(() => {}), 100);
    stack.defer(() => clearInterval(cancelling));
  };
  signal?.addEventListener("abort", cancel);
  stack.defer(() => signal?.removeEventListener("abort", cancel));
  return stack;
}

/** Ends the statements that the owner of the tables is running, each with an error. */
async function cancelStatements(admin: Sql) {
  await admin`select pg_cancel_backend(pid) from pg_stat_activity where usename = 'postgres'`;
}

async function removeFile(path: string) {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
