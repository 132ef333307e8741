import { decodeBase64Url } from "deno-std/encoding/base64url.js";
import postgres from "postgres";
import { type Rest, type RestOptions, startRest } from "../../local/rest/rest.ts";
import { token } from "../support/rest.ts";
import { environment, stack } from "../support/test_stack.ts";

/** What the Data API answered, its body read. */
export interface Answer {
  status: number;
  /** The body as it came, for what JSON.parse would round. */
  text: string;
  // deno-lint-ignore no-explicit-any -- tests look into bodies that they then compare
  body: any;
}

/** A call of the Data API as a role, `authenticated` unless said otherwise; null sends no token. */
export type Call = (
  path: string,
  options?: {
    method?: string;
    json?: unknown;
    headers?: Record<string, string>;
    claims?: Record<string, unknown> | null;
  },
) => Promise<Answer>;

/**
 * Two databases with the same tables, each with lite on it: as the local stack corrects it, and as
 * it comes. They are databases of their own, because lite as it comes grants everything to everyone.
 *
 * @param tables what they hold, as SQL; anon, authenticated and service_role are granted nothing.
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
  // As superuser, because it shows an authenticator none of the tables.
  const uncorrected = await startLite(() => url(twin, "supabase_admin"), { uncorrected: true });
  const correctedSql = asSuperuser(name);
  // Opens every connection before the first test, and none is left open by one.
  await Promise.all([call(corrected)("/none"), call(uncorrected)("/none"), correctedSql`select`]);

  return {
    corrected: call(corrected),
    uncorrected: call(uncorrected),
    /** lite as it comes, connected as the role that requests begin as. */
    uncorrectedAuthenticator: () => startLite((role) => url(twin, role), { uncorrected: true }),
    /** The database under the corrected one. */
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

/** The calls of one Data API. */
export function call(rest: Rest): Call {
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
    const isJson = /\bjson\b/.test(response.headers.get("Content-Type") ?? "");
    return { status: response.status, text, body: isJson && text !== "" ? JSON.parse(text) : text };
  };
}

/** How often something is printed as an error during some work; it is not shown. */
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
 * lite with the keys of the tests' stack.
 * @param url the address of its database, for a role.
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
