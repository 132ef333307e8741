import postgres from "postgres";
import { functionEnvironment } from "../../local/functions/environment.ts";
import type { StackAddresses } from "../../local/stack.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials_keys.ts";

const file = Deno.env.get("STACK_FILE");
if (!file) {
  throw new Error("Tests need a running stack: use npm test.");
}

/** The stack that these tests use. */
export const stack: StackAddresses = JSON.parse(Deno.readTextFileSync(file));

/** The WhatsApp API of the stack's sandbox; empty if the stack has no sandbox. */
export const stackChannel = stack.sandbox_url?.replace(/messages$/, "v26.0") ?? "";

// The secrets of this stack's functions.
const { JWT_SIGNING_KEY = "", CREDENTIALS_KEY = "", JOBS_SECRET = "" } = Deno.env.toObject();

/** The key that encrypts this stack's access tokens. */
export const credentialsKey = readCredentialsKey(CREDENTIALS_KEY);

/**
 * The environment variables for a function that uses this stack.
 * @param channelUrl the URL of the messaging channel. By default, nothing listens on this URL.
 */
export function environment(
  { supabaseUrl = stack.url, channelUrl = "http://127.0.0.1:9" }: {
    supabaseUrl?: string;
    channelUrl?: string;
  } = {},
) {
  const secrets = {
    ...stack,
    signing_key: JWT_SIGNING_KEY,
    credentials_key: CREDENTIALS_KEY,
    jobs_secret: JOBS_SECRET,
  };
  return functionEnvironment(supabaseUrl, secrets, channelUrl);
}

/** Runs the work in a separate database session as the owner of the tables. */
export async function withDatabase<Answer>(
  work: (sql: postgres.Sql) => Promise<Answer>,
): Promise<Answer> {
  return await withSession(stack.database_url, work, NEW_BUT_FOR_PLANS);
}

/** Runs one statement in a session of `withDatabase`. */
export function statement(
  words: TemplateStringsArray,
  ...values: postgres.ParameterOrFragment<never>[]
) {
  return withDatabase((sql) => sql(words, ...values));
}

/**
 * Like `withDatabase`, but as the superuser, because only the superuser can act as any other role.
 */
export async function asSuperuser<Answer>(
  work: (sql: postgres.Sql) => Promise<Answer>,
): Promise<Answer> {
  const url = new URL(stack.database_url);
  url.username = "supabase_admin";
  return await withSession(url.href, work);
}

/**
 * Idle connections by URL. Opening a connection takes longer than most work on the connection.
 */
const idle = new Map<string, postgres.Sql[]>();
/**
 * The maximum number of connections for one URL. The database has enough connections for all test
 * files that run simultaneously.
 */
const MOST_IDLE = 5;
/**
 * Does the same as `discard all`, but keeps the cached plans of functions. Otherwise, Postgres
 * would plan these functions again for each new company. Tests of query plans do not use these
 * sessions.
 */
const NEW_BUT_FOR_PLANS = "close all; set session authorization default; reset all; " +
  "deallocate all; unlisten *; select pg_advisory_unlock_all(); discard temp; discard sequences";

async function withSession<Answer>(
  url: string,
  work: (sql: postgres.Sql) => Promise<Answer>,
  renew = "discard all",
): Promise<Answer> {
  const kept = idle.get(url) ?? [];
  idle.set(url, kept);
  const sql = kept.pop() ?? postgres(url, { max: 1, onnotice: () => {}, prepare: false });
  let isKept = false;
  try {
    const answer = await work(sql);
    // The next work starts in a session without earlier settings, locks or temporary tables.
    if (kept.length < MOST_IDLE) {
      await sql.unsafe(renew);
      isKept = kept.push(sql) > 0;
    }
    return answer;
  } finally {
    if (!isKept) await sql.end({ timeout: 1 });
  }
}
