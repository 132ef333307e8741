import { decodeBase64Url } from "deno-std/encoding/base64url.js";
import postgres from "postgres";
import { type Rest, type RestOptions, startRest } from "../../local/rest/rest.ts";
import { token } from "../support/rest.ts";
import { environment, stack } from "../support/test_stack.ts";

interface DataApiAnswer {
  status: number;
  headers: Headers;
  /** The body as text, because JSON.parse rounds some numbers. */
  text: string;
  // deno-lint-ignore no-explicit-any -- the tests compare parts of the body
  body: any;
}

/** Calls one Data API. */
export type DataApi = (
  path: string,
  options?: {
    method?: string;
    json?: unknown;
    headers?: Record<string, string>;
    /** The claims of the token, by default those of the role authenticated; null sends no token. */
    claims?: Record<string, unknown> | null;
  },
) => Promise<DataApiAnswer>;

/**
 * Creates two databases with the same tables and starts lite on each: one as the local stack corrects
 * it, and one uncorrected. There are two because uncorrected lite grants everything to everyone.
 *
 * @param tables the SQL that fills them; by default anon, authenticated and service_role have no grants.
 */
export async function startBoth(tables: string) {
  const name = `lite_${crypto.randomUUID().slice(0, 8)}`;
  const cluster = asSuperuser("postgres");
  await cluster.unsafe(`create database ${name}`);
  const sql = asSuperuser(name);
  await sql.unsafe(tables);
  await sql.end();
  const twin = `${name}_twin`;
  await cluster.unsafe(`create database ${twin} template ${name}`);

  const corrected = await startLite((role) => url(name, role));
  // As superuser, because uncorrected lite shows the role authenticator none of the tables.
  const uncorrected = await startLite(() => url(twin, "supabase_admin"), { uncorrected: true });
  const correctedSql = asSuperuser(name);
  // The connections open before the first test, because a test must not leave one open.
  await Promise.all([
    dataApi(corrected)("/none"),
    dataApi(uncorrected)("/none"),
    correctedSql`select`,
  ]);

  return {
    corrected: dataApi(corrected),
    uncorrected: dataApi(uncorrected),
    /** Starts uncorrected lite with the role authenticator, as a hosted Data API connects. */
    uncorrectedAuthenticator: () => startLite((role) => url(twin, role), { uncorrected: true }),
    /** The address of the corrected one's database, for a role. */
    url: (role: string) => url(name, role),
    /** A connection to the database of the corrected one, as superuser. */
    sql: correctedSql,
    async end() {
      await Promise.all([corrected.close(), uncorrected.close(), correctedSql.end()]);
      for (const each of [name, twin]) {
        await cluster.unsafe(`drop database ${each} with (force)`);
      }
      await cluster.end();
    },
  };
}

/** The function that calls a Data API. */
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

/** Does some work without showing its errors on the console. Returns how many it printed. */
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
 * Starts lite with the keys of the tests' stack.
 * @param url the address of the database for a role.
 */
export function startLite(
  url: (role: string) => string,
  options: Pick<RestOptions, "uncorrected"> = {},
): Promise<Rest> {
  const { k: secret } = JSON.parse(environment().JWT_SIGNING_KEY);
  return startRest({
    url: url("authenticator"),
    privilegedUrl: url("supabase_admin"),
    jwtSecret: new TextDecoder().decode(decodeBase64Url(secret)),
    publishableKey: stack.publishable_key,
    secretKey: stack.secret_key,
    ...options,
  });
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
