import { deadline } from "deno-std/async/deadline.js";
import { delay } from "deno-std/async/delay.js";
import { bootstrap, connect, databaseUrl, migrate, seed, type Sql } from "./postgres/database.ts";
import { connectDemoAccount, demoKey } from "./demo.ts";
import { functionEnvironment } from "./functions/environment.ts";
import { writePrivately } from "./files.ts";
import { loadFunctions } from "./functions/host.ts";
import { lockFolder } from "./folder_lock.ts";
import { startPostgres } from "./postgres/server.ts";
import { startRest } from "./rest/rest.ts";
import { sandboxHost } from "./sandbox/host.ts";
import { loadSecrets } from "./secrets.ts";

export interface StackOptions {
  /** Holds the database, the secrets and stack.json; made when missing. */
  folder: string;
  /** Of the HTTP server on 127.0.0.1; 0 takes any free one. */
  port: number;
  /** Start from an empty database. */
  fresh: boolean;
  /** Write the demo data when it has not been written yet. */
  seed: boolean;
  /** false gives up safety against a power cut for speed; for tests. */
  durable: boolean;
  /** Where templates are sent to, instead of the sandbox. */
  whatsappApiUrl?: string;
  /** Told of each step that may take a moment. */
  progress(step: string): void;
  /** Ends a start that is still under way; whatever it has started is ended before it fails. */
  signal?: AbortSignal;
}

/** What stack.json says, for programs. */
export interface StackAddresses {
  url: string;
  gateway_url: string;
  template_url: string;
  /** Where the stand-in for the WhatsApp API shows what it took; null when it is not what sends. */
  sandbox_url: string | null;
  database_url: string;
  publishable_key: string;
  secret_key: string;
  /** null when the demo company was not written or has been deleted. */
  demo: { company_id: string; api_key: string } | null;
}

export interface Stack {
  addresses: StackAddresses;
  /** Resolves when the database has ended without being asked to. */
  failed: Promise<void>;
  stop(): Promise<void>;
}

/** A port that was asked for is taken; the message says what to do. */
export class PortTaken extends Error {
  override name = "PortTaken";
}

/**
 * Starts database, Data API and both functions in this process and its one child, Postgres.
 * One stack a process: the functions read their configuration from its environment.
 *
 * @throws FolderInUse, PortTaken, or an Error with a sentence that says what did not start.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { folder, progress, signal } = options;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(folder);

  // Whatever has been started is ended in reverse order, when something later fails just as at the end.
  const endings: (() => unknown)[] = [lock.release];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    // One that a killed stack left would send programs to where nobody is.
    await removeFile(`${folder}/stack.json`);
    const door = openDoor(options.port);
    endings.push(() => door.close());
    const url = `http://127.0.0.1:${door.port}`;
    await lock.note({ pid: Deno.pid, url, since: new Date().toISOString() });

    const secrets = await loadSecrets(`${folder}/secrets.json`);
    const whatsappApiUrl = options.whatsappApiUrl ?? `${url}/sandbox/v26.0`;
    const environment = functionEnvironment(url, secrets, whatsappApiUrl);
    for (const [name, value] of Object.entries(environment)) Deno.env.set(name, value);
    const loadingFunctions = loadFunctions(["gateway", "send-external-template"]);
    loadingFunctions.catch(() => {}); // awaited below, after what may fail first

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
    endings.push(() => {
      stopping = true;
      return database.stop();
    });

    const admin = connect(database.port, "supabase_admin", password);
    const owner = connect(database.port, "postgres", password);
    endings.push(() => Promise.all([admin, owner].map((sql) => sql.end({ timeout: 1 }))));
    // A migration may take long, or wait forever. Again and again, because it may just be about to begin.
    const cancel = () => {
      const cancelling = setInterval(() => cancelStatements(admin).catch(() => {}), 100);
      endings.push(() => clearInterval(cancelling));
    };
    signal?.addEventListener("abort", cancel);
    signal?.throwIfAborted();
    await bootstrap(admin, password);
    for await (const file of migrate(owner)) progress(`applied ${file}`);
    if (options.seed && await seed(owner)) progress("wrote the demo data of supabase/seed.sql");
    const isSandbox = options.whatsappApiUrl === undefined;
    await connectDemoAccount(owner, isSandbox ? secrets.credentials_key : null);

    const rest = await startRest({
      url: databaseUrl(database.port, "authenticator", password),
      privilegedUrl: databaseUrl(database.port, "supabase_admin", password),
      jwtSecret: secrets.jwt_secret,
      publishableKey: secrets.publishable_key,
      secretKey: secrets.secret_key,
    });
    endings.push(() => rest.close());
    door.open(rest.fetch, await loadingFunctions);

    const addresses: StackAddresses = {
      url,
      gateway_url: `${url}/functions/v1/gateway`,
      template_url: `${url}/functions/v1/send-external-template`,
      sandbox_url: isSandbox ? `${url}/sandbox/messages` : null,
      database_url: databaseUrl(database.port, "postgres", password),
      publishable_key: secrets.publishable_key,
      secret_key: secrets.secret_key,
      demo: await demoKey(owner),
    };
    await writePrivately(`${folder}/stack.json`, addresses);
    endings.push(() => removeFile(`${folder}/stack.json`));
    // Closed before anything behind it is, so that no request meets half a stack.
    endings.push(() => door.close());
    signal?.throwIfAborted();
    signal?.removeEventListener("abort", cancel);

    const failed = database.ended.then(() => stopping ? new Promise<void>(() => {}) : undefined);
    return { addresses, failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ends whatever statements the owner of the tables is running, each with an error. */
async function cancelStatements(admin: Sql) {
  await admin`select pg_cancel_backend(pid) from pg_stat_activity where usename = 'postgres'`;
}

/** The HTTP server. It takes its port at once and lets requests wait until there is something behind it. */
function openDoor(port: number) {
  type Answer = (request: Request) => Promise<Response>;
  let open!: (rest: Answer, functions: Answer) => void;
  let underWay = 0;
  const sandbox = sandboxHost();
  const behind = new Promise<{ rest: Answer; functions: Answer }>((resolve) => {
    open = (rest, functions) => resolve({ rest, functions });
  });
  try {
    const server = Deno.serve({
      hostname: "127.0.0.1",
      port,
      onListen: () => {},
    }, async (request) => {
      const { pathname } = new URL(request.url);
      // Not counted: whoever waits for the channel is a request that is under way itself.
      if (pathname.startsWith("/sandbox/")) return await sandbox(request);
      underWay++;
      try {
        const { rest, functions } = await behind;
        if (pathname.startsWith("/functions/v1/")) return await functions(request);
        if (pathname.startsWith("/rest/v1/")) return await rest(request);
        const message = "This stack serves /functions/v1/, /rest/v1/ and /sandbox/";
        return Response.json({ message }, { status: 404 });
      } finally {
        underWay--;
      }
    });
    /** Gives what is under way a second to be answered, and then takes no more requests. */
    const close = async () => {
      // A function's own requests to the Data API come in here too, some after its answer.
      for (let waited = 0, quiet = 0; quiet < 50 && waited < 1000; waited += 10) {
        await delay(10);
        quiet = underWay > 0 ? 0 : quiet + 10;
      }
      await deadline(server.shutdown(), 100).catch(() => {});
    };
    let closing: Promise<void> | undefined;
    return { port: server.addr.port, open, close: () => closing ??= close() };
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    throw new PortTaken(
      `Port ${port} is taken by another program. Stop it, or choose another port with --port.`,
    );
  }
}

async function removeFile(path: string) {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
