import { root } from "../local/checkout.ts";
import { functionEnvironment } from "../local/functions/environment.ts";
import { functionEntry, startFunctionProcess } from "../local/functions/process.ts";
import { bootstrap, connect, databaseUrl, migrate, type Sql } from "../local/postgres/database.ts";
import { type Postgres, startPostgres } from "../local/postgres/server.ts";
import { loadSecrets } from "../local/secrets.ts";
import { freePort } from "../tests/support/free_port.ts";

/** The stack that is measured. Each part runs in a separate process. */
export type BenchStack = Awaited<ReturnType<typeof startBenchStack>>;

export const CHANNEL_DELAY_MS = 50;

/**
 * Starts a database without rows, the REST layer, the functions and an imitation of the WhatsApp
 * API.
 * @param resources ends everything, including parts that are still starting.
 */
export async function startBenchStack(resources: AsyncDisposableStack) {
  const folder = Deno.makeTempDirSync({ prefix: "bench-" });
  resources.defer(() => Deno.remove(folder, { recursive: true }));
  const secrets = await loadSecrets(`${folder}/secrets.json`);
  const password = secrets.database_password;

  let database: Promise<Postgres>;
  let port = 0;
  const startDatabase = async () => {
    if (resources.disposed) throw new Error("The run is being ended.");
    const files = { dataFolder: `${folder}/data`, logFile: `${folder}/postgres.log` };
    database = startPostgres({
      ...{ ...files, fresh: false, password, durable: true },
      // While the database is stopped, no other program may get its port.
      port: port || freePort(),
    });
    const before = port;
    ({ port } = await database);
    if (before && port !== before) throw new Error("The database did not get its port back.");
  };
  const stopDatabase = async () => await (await database).stop();
  resources.defer(() => stopDatabase().catch(() => {})); // the database may not have started
  await startDatabase();

  const url = (role: string) => databaseUrl(port, role, password);
  const close = (sql: Sql) => sql.end({ timeout: 1 });
  const admin = resources.adopt(connect(port, "supabase_admin", password), close);
  const owner = resources.adopt(connect(port, "postgres", password), close);
  await bootstrap(admin, password);
  await Array.fromAsync(migrate(owner));
  // Makes the database count statements after its next start.
  await admin`alter system set shared_preload_libraries = 'pg_stat_statements'`;
  await stopDatabase();
  await startDatabase();
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
  const startFunction = (
    name: string,
    { restUrl = rest.url, channelDelayMs = 0, env = {} as Record<string, string> } = {},
  ) => {
    const channelUrl = `${whatsapp.url}/after/${channelDelayMs}/v26.0`;
    return start(functionEntry(name), {
      ...functionEnvironment(restUrl, secrets, channelUrl),
      ...env,
    });
  };
  const [gateway, sender, slowSender] = await Promise.all([
    startFunction("gateway"),
    startFunction("send-external-template"),
    startFunction("send-external-template", { channelDelayMs: CHANNEL_DELAY_MS }),
  ]);
  return {
    secrets,
    /** A connection as the superuser. */
    admin,
    /** A connection as the role that owns the tables. */
    owner,
    databaseUrl: url,
    stopDatabase,
    /** Starts the database again on its port, and waits until it accepts connections. */
    startDatabase,
    rest,
    gateway,
    /** Sends through a channel that responds immediately. */
    sender,
    /** Sends through a channel that responds after CHANNEL_DELAY_MS. */
    slowSender,
    /** These functions start further servers, which end with the stack. */
    start,
    startFunction,
  };
}

/** The file of a server that only the benchmark uses. */
export function server(name: "deno" | "hono" | "relay" | "rest" | "sql" | "whatsapp"): string {
  return `${root}trials/servers/${name}.ts`;
}
