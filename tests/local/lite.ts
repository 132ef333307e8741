import { decodeBase64Url } from "deno-std/encoding/base64url.js";
import postgres from "postgres";
import { type Rest, type RestOptions, startRest } from "../../local/rest/rest.ts";
import { token } from "../support/rest.ts";
import { environment, stack } from "../support/test_stack.ts";

interface DataApiAnswer {
  status: number;
  headers: Headers;
  /** The body as a string, because `JSON.parse` rounds some numbers. */
  text: string;
  // deno-lint-ignore no-explicit-any -- the tests compare parts of any body
  body: any;
}

/** Sends a request to a Data API. */
export type DataApi = (
  path: string,
  options?: {
    method?: string;
    json?: unknown;
    headers?: Record<string, string>;
    /**
     * The token's claims. By default, the role is `authenticated`. `null` sends no token.
     */
    claims?: Record<string, unknown> | null;
  },
) => Promise<DataApiAnswer>;

/**
 * Creates a database and starts the Data API on it.
 * @param tables the SQL that creates the tables. `anon`, `authenticated` and `service_role` have
 * only the grants in this SQL.
 */
export async function startDataApi(tables: string) {
  const name = `lite_${crypto.randomUUID().slice(0, 8)}`;
  const cluster = asSuperuser("postgres");
  await cluster.unsafe(`create database ${name}`);
  const sql = asSuperuser(name);
  await sql.unsafe(tables);
  const rest = await startLite((role) => url(name, role));
  const api = dataApi(rest);
  // This request opens the database connection before the first test. A connection that a test
  // opens must not remain open after the test.
  await api("/none");

  return {
    api,
    /** The database URL for a role. */
    url: (role: string) => url(name, role),
    /** A database connection as superuser. */
    sql,
    async end() {
      await Promise.all([rest.close(), sql.end()]);
      await cluster.unsafe(`drop database ${name} with (force)`);
      await cluster.end();
    },
  };
}

/** Sends requests to the Data API. */
export function dataApi(rest: Rest): DataApi {
  return async (
    path,
    { method = "GET", json, headers, claims = { role: "authenticated" } } = {},
  ) => {
    const request = new Request(`http://127.0.0.1/rest/v1${path}`, {
      method,
      headers: {
        apikey: stack.publishable_key,
        ...(claims && { Authorization: `Bearer ${await token(claims)}` }),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: json === undefined ? null : JSON.stringify(json),
    });
    const response = await rest.fetch(request);
    const text = await response.text();
    const { status, headers: answered } = response;
    const isJson = /\bjson\b/.test(answered.get("Content-Type") ?? "");
    return {
      status,
      headers: answered,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  };
}

/**
 * Runs `work` and hides the errors that `work` prints to the console. Returns the number of these
 * errors.
 */
export async function silently(work: () => Promise<unknown>): Promise<number> {
  const print = console.error;
  let count = 0;
  console.error = () => count++;
  try {
    await work();
  } finally {
    console.error = print;
  }
  return count;
}

/**
 * Starts @supabase/lite with the keys of the tests' stack.
 * @param url returns the database URL for a role.
 */
export function startLite(url: (role: string) => string): Promise<Rest> {
  return startRest(restOptions(url));
}

/** @param url returns the database URL for a role. */
export function restOptions(url: (role: string) => string): RestOptions {
  const { k: secret } = JSON.parse(environment().JWT_SIGNING_KEY);
  return {
    url: url("authenticator"),
    privilegedUrl: url("supabase_admin"),
    jwtSecret: new TextDecoder().decode(decodeBase64Url(secret)),
    publishableKey: stack.publishable_key,
    secretKey: stack.secret_key,
  };
}

function asSuperuser(database: string): postgres.Sql {
  const options = { max: 1, onnotice: () => {}, prepare: false };
  return postgres(url(database, "supabase_admin"), options);
}

function url(database: string, role: string): string {
  const address = new URL(stack.database_url);
  address.username = role;
  address.pathname = database;
  return address.href;
}
