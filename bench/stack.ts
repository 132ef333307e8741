import { root } from "../local/checkout.ts";
import { functionEnvironment } from "../local/functions/environment.ts";
import { functionEntry, startFunctionProcess } from "../local/functions/process.ts";
import { bootstrap, connect, databaseUrl, migrate } from "../local/postgres/database.ts";
import { type Postgres, startPostgres } from "../local/postgres/server.ts";
import type { Secrets } from "../local/secrets.ts";

/** What is measured: every part in a process of its own. */
export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

export const CHANNEL_DELAY_MS = 50;

/**
 * Starts the database, without rows, the REST layer, the functions and a stand-in for the WhatsApp API.
 * @param folder for the database; it must exist.
 * @param resources ends everything, also what is being started.
 */
export async function startBenchStack(
  folder: string,
  secrets: Secrets,
  resources: AsyncDisposableStack,
) {
  const password = secrets.database_password;
  let database: Promise<Postgres> | undefined;
  const stopDatabase = async () => await (await database?.catch(() => undefined))?.stop();
  resources.defer(stopDatabase);
  const startDatabase = async (port: number) => {
    if (resources.disposed) throw new Error("The run is being ended.");
    const files = { dataFolder: `${folder}/data`, logFile: `${folder}/postgres.log` };
    database = startPostgres({ ...files, fresh: false, port, password, durable: true });
    return (await database).port;
  };
  const port = await startDatabase(0);
  const restartDatabase = async () => {
    if (await startDatabase(port) === port) return;
    throw new Error("The database did not get its port back.");
  };

  const url = (role: string) => databaseUrl(port, role, password);
  const [admin, owner] = ["supabase_admin", "postgres"].map((role) => {
    const sql = connect(port, role, password);
    resources.defer(() => sql.end({ timeout: 1 }));
    return sql;
  });
  await bootstrap(admin, password);
  await Array.fromAsync(migrate(owner));
  // Counts statements, from the next start on.
  await admin`alter system set shared_preload_libraries = 'pg_stat_statements'`;
  await stopDatabase();
  await restartDatabase();
  await admin`create extension pg_stat_statements`;

  const start = (entry: string, env: Record<string, string>, permissions?: string[]) =>
    startFunctionProcess({ entry, env, permissions, owner: resources });
  const restOptions = {
    url: url("authenticator"),
    privilegedUrl: url("supabase_admin"),
    jwtSecret: secrets.jwt_secret,
    publishableKey: secrets.publishable_key,
    secretKey: secrets.secret_key,
  };
  const [rest, whatsapp] = await Promise.all([
    start(server("rest"), { REST_OPTIONS: JSON.stringify(restOptions) }, ["--allow-all"]),
    start(server("whatsapp"), {}),
  ]);
  const startFunction = (name: string, { restUrl = rest.url, channelDelayMs = 0 } = {}) => {
    const channelUrl = `${whatsapp.url}/after/${channelDelayMs}/v26.0`;
    return start(functionEntry(name), functionEnvironment(restUrl, secrets, channelUrl));
  };
  const [gateway, sender, slowSender] = await Promise.all([
    startFunction("gateway"),
    startFunction("send-external-template"),
    startFunction("send-external-template", { channelDelayMs: CHANNEL_DELAY_MS }),
  ]);
  return {
    secrets,
    /** As the superuser. */
    admin,
    /** As the role that owns the tables. */
    owner,
    databaseUrl: url,
    stopDatabase,
    /** Starts it again on its port, and waits until it accepts connections. */
    startDatabase: restartDatabase,
    rest,
    gateway,
    /** Sends through a channel that answers at once. */
    sender,
    /** Sends through a channel that answers after CHANNEL_DELAY_MS. */
    slowSender,
    /** Start further servers, which end with the stack. */
    start,
    startFunction,
  };
}

/** The file of a server that only the benchmark has. */
export function server(name: "deno" | "hono" | "relay" | "rest" | "sql" | "whatsapp"): string {
  return `${root}bench/servers/${name}.ts`;
}

/**
 * The number of statements that the database has carried out for the REST layer and the floors, begin and
 * commit among them.
 */
export async function databaseCalls({ admin }: BenchStack): Promise<number> {
  const [{ calls }] = await admin`
    select coalesce(sum(calls), 0)::float as calls from pg_stat_statements
    join pg_roles on pg_roles.oid = userid where rolname in ('authenticator', 'api_client')
  `;
  return calls;
}

/** The number of requests that the REST layer has got. */
export async function restCalls({ rest }: BenchStack): Promise<number> {
  return await (await fetch(`${rest.url}/requests`)).json();
}
