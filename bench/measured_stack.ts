import { delay } from "deno-std/async/delay.js";
import * as jose from "jose";
import { bootstrap, connect, databaseUrl, migrate, type Sql } from "../local/postgres/database.ts";
import { functionEnvironment } from "../local/functions/environment.ts";
import { type Postgres, startPostgres } from "../local/postgres/server.ts";
import { loadSecrets, type Secrets } from "../local/secrets.ts";
import { endings, throwIfEnding } from "./endings.ts";
import { endServers, type ServerProcess, startServer } from "./processes.ts";

/** A request as the REST layer got it from a function. */
export interface Captured {
  method: string;
  /** With the query string. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** What is measured: every part in a process of its own. */
export interface BenchStack {
  secrets: Secrets;
  /** As the role that owns the tables. */
  owner: Sql;
  /** As the superuser. */
  admin: Sql;
  rest: ServerProcess;
  gateway: ServerProcess;
  /** Sends through a channel that answers at once. */
  sender: ServerProcess;
  /** Sends through a channel that answers after CHANNEL_DELAY_MS. */
  slowSender: ServerProcess;
  /** Whether the database counts statements; else it counts transactions only. */
  countsStatements: boolean;
  databaseUrl(role: string): string;
  stopDatabase(): Promise<void>;
  /** Starts it again on its port, and answers when it accepts connections. */
  startDatabase(): Promise<void>;
}

export const CHANNEL_DELAY_MS = 50;

/** What a function needs to start, for one whose database is never asked. */
export async function aloneEnvironment(folder: string): Promise<Record<string, string>> {
  const secrets = await loadSecrets(`${folder}/secrets.json`);
  return functionEnvironment("http://127.0.0.1:9", secrets, "http://127.0.0.1:9");
}

/** Starts the database, without rows, the REST layer, the functions and the channel. */
export async function startBenchStack(folder: string): Promise<BenchStack> {
  const secrets = await loadSecrets(`${folder}/secrets.json`);
  const password = secrets.database_password;
  const options = {
    dataFolder: `${folder}/data`,
    fresh: false,
    port: 0,
    password,
    logFile: `${folder}/postgres.log`,
    durable: true,
  };
  let database: Promise<Postgres> | undefined;
  endings.push(async () => await (await database?.catch(() => undefined))?.stop());
  const startDatabase = async (port: number) => {
    throwIfEnding();
    database = startPostgres({ ...options, port });
    return await database;
  };

  const { port } = await startDatabase(0);
  const stopDatabase = async () => await (await database)?.stop();
  const restart = async () => {
    const started = await startDatabase(port);
    if (started.port !== port) throw new Error("The database did not get its port back.");
  };
  const admin = connect(port, "supabase_admin", password);
  const owner = connect(port, "postgres", password);
  endings.push(() => Promise.all([admin, owner].map((sql) => sql.end({ timeout: 1 }))));
  endings.push(endServers);
  await bootstrap(admin, password);
  await Array.fromAsync(migrate(owner));
  const countsStatements = await countStatements(admin, async () => {
    await stopDatabase();
    await restart();
  });

  const url = (role: string) => databaseUrl(port, role, password);
  const [rest, channel] = await Promise.all([
    startServer({
      entry: "bench/rest_server.ts",
      env: {
        REST_OPTIONS: JSON.stringify({
          url: url("authenticator"),
          privilegedUrl: url("supabase_admin"),
          jwtSecret: secrets.jwt_secret,
          publishableKey: secrets.publishable_key,
          secretKey: secrets.secret_key,
        }),
      },
      permissions: ["--allow-all"],
    }),
    startServer({ entry: "bench/channel.ts", env: {} }),
  ]);
  const start = (name: string, delayMs: number) =>
    startServer({
      entry: functionEntry(name),
      env: functionEnvironment(rest.url, secrets, `${channel.url}/after/${delayMs}/v26.0`),
    });
  const [gateway, sender, slowSender] = await Promise.all([
    start("gateway", 0),
    start("send-external-template", 0),
    start("send-external-template", CHANNEL_DELAY_MS),
  ]);
  return {
    secrets,
    owner,
    admin,
    rest,
    gateway,
    sender,
    slowSender,
    countsStatements,
    databaseUrl: url,
    stopDatabase,
    startDatabase: restart,
  };
}

export function functionEntry(name: string): string {
  return `supabase/functions/${name}/index.ts`;
}

/** Lets the database count statements, which it has to be started anew for. */
async function countStatements(admin: Sql, restart: () => Promise<void>): Promise<boolean> {
  const [available] = await admin`
    select from pg_available_extensions where name = 'pg_stat_statements'
  `;
  if (!available) return false;
  await admin`alter system set shared_preload_libraries = 'pg_stat_statements'`;
  await restart();
  await admin`create extension pg_stat_statements`;
  return true;
}

/**
 * How many statements the database has carried out for the REST layer and the floors, begin and commit
 * among them; where it does not count them, how many transactions in all.
 */
export async function databaseCalls({ admin, countsStatements }: BenchStack): Promise<number> {
  if (countsStatements) {
    const [{ calls }] = await admin`
      select coalesce(sum(calls), 0)::float as calls from pg_stat_statements
      join pg_roles on pg_roles.oid = userid where rolname in ('authenticator', 'api_client')
    `;
    return calls;
  }
  await delay(1100); // a connection reports its transactions once a second
  const [{ calls }] = await admin`
    select xact_commit::float as calls from pg_stat_database where datname = current_database()
  `;
  return calls;
}

/** How many requests the REST layer has got. */
export async function restCalls({ rest }: BenchStack): Promise<number> {
  return await (await fetch(`${rest.url}/requests`)).json();
}

/** What a function asks the REST layer while `work` has it answer one request. */
export async function captureCall(
  { rest }: BenchStack,
  work: () => Promise<unknown>,
): Promise<Captured> {
  await (await fetch(`${rest.url}/capture`)).body?.cancel();
  await work();
  const captured: Captured | null = await (await fetch(`${rest.url}/captured`)).json();
  if (!captured) throw new Error("The function asked the REST layer nothing.");
  return captured;
}

/** The token of a captured request, made to last. */
export async function lastingToken(stack: BenchStack, { headers }: Captured): Promise<string> {
  const claims = jose.decodeJwt(headers.authorization.replace(/^Bearer /, ""));
  return await new jose.SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setExpirationTime("1d")
    .sign(new TextEncoder().encode(stack.secrets.jwt_secret));
}
