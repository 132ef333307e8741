import postgres from "postgres";
import { functionEnvironment } from "../../local/functions/environment.ts";
import type { StackAddresses } from "../../local/stack.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/whatsapp/credentials.ts";

const file = Deno.env.get("STACK_FILE");
if (!file) {
  throw new Error("Tests need a running stack: use npm test.");
}

/** The stack that these tests run against. */
export const stack: StackAddresses = JSON.parse(Deno.readTextFileSync(file));

// The secrets of this stack's functions.
const { JWT_SIGNING_KEY = "", CREDENTIALS_KEY = "", JOBS_SECRET = "" } = Deno.env.toObject();

/** The key under which this stack stores access tokens. */
export const credentialsKey = readCredentialsKey(CREDENTIALS_KEY);

/**
 * The environment variables of a function that serves this stack.
 * @param channelUrl of the messaging channel; by default an address where nothing listens.
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

/** Works on the database as the owner of its tables and closes the connection afterwards. */
export async function withDatabase<Answer>(
  work: (sql: postgres.Sql) => Promise<Answer>,
): Promise<Answer> {
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {}, prepare: false });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
