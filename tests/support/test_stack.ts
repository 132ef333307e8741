import postgres from "postgres";
import type { StackAddresses } from "../../local/stack.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/whatsapp/credentials.ts";

const file = Deno.env.get("STACK_FILE");
if (!file) {
  throw new Error("Tests need a running stack: use npm test.");
}

/** The stack that these tests run against. */
export const stack: StackAddresses = JSON.parse(Deno.readTextFileSync(file));

/** What the functions of this stack keep secret. */
const { JWT_SIGNING_KEY = "", CREDENTIALS_KEY = "" } = Deno.env.toObject();

/** The key under which this stack's access tokens are stored. */
export const credentialsKey = readCredentialsKey(CREDENTIALS_KEY);

/**
 * What a function is configured with, to serve this stack.
 * @param channelUrl the messaging channel; unless a test names one, nobody is there.
 */
export function environment(
  { supabaseUrl = stack.url, channelUrl = "http://127.0.0.1:9" }: {
    supabaseUrl?: string;
    channelUrl?: string;
  } = {},
): Record<string, string> {
  return {
    SUPABASE_URL: supabaseUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: stack.publishable_key }),
    JWT_SIGNING_KEY,
    CREDENTIALS_KEY,
    WHATSAPP_API_URL: channelUrl,
  };
}

/** Works on the database as the owner of its tables, and lets go of the connection afterwards. */
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
