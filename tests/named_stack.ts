// The API tests can run against a Supabase stack that environment variables name: a `supabase
// start`, a preview branch or another local stack. Without these variables, the tests start their
// own stack.
import postgres from "postgres";
import type { StackAddresses } from "../local/stack.ts";
import { DEMO_COMPANY_ID } from "../local/demo.ts";

/** The environment variables with the stack's URLs and its functions' secrets. All are required. */
const VARIABLES = {
  SUPABASE_URL: "the URL of the API",
  SUPABASE_PUBLISHABLE_KEY: "the publishable key, or the anon key",
  SUPABASE_DB_URL: "the URL of the database, for the user postgres",
  JWT_SIGNING_KEY: "the same value as in its functions",
  CREDENTIALS_KEY: "the same value as in its functions",
};

/** The names of the companies that these tests create. */
const TEST_COMPANIES = ["Test", "Other", "Empty"];

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** The error when the tests cannot run against the named Supabase stack. The message says why. */
export class NotUsable extends Error {}

/**
 * The tests of the HTTP API and of the isolation between companies. All other tests check this
 * repository, not a running stack.
 */
export function testsOfNamedStack({ sandbox_url }: StackAddresses): string[] {
  return [
    "tests/gateway",
    "tests/database/caller_answered_rows_test.ts",
    "tests/database/isolation_test.ts",
    "tests/database/schema_files_test.ts",
    "tests/database/caller_scopes_test.ts",
    "tests/database/caller_tokens_test.ts",
    ...(sandbox_url ? ["tests/send_external_template"] : []),
  ];
}

/**
 * The stack that the environment variables name, or null if SUPABASE_URL is not set.
 * @throws NotUsable if another variable is missing, or if the database has real companies.
 */
export async function namedStack(): Promise<StackAddresses | null> {
  const url = Deno.env.get("SUPABASE_URL")?.replace(/\/+$/, "");
  if (!url) return null;
  const missing = Object.entries(VARIABLES).filter(([name]) => !Deno.env.get(name));
  if (missing.length > 0) {
    const list = missing.map(([name, what]) => `  ${name}  ${what}`).join("\n");
    throw new NotUsable(
      `SUPABASE_URL is set, so the tests run against ${url}. They also need:\n${list}\n` +
        "Unset SUPABASE_URL to run the tests on a stack of their own.",
    );
  }
  const database_url = Deno.env.get("SUPABASE_DB_URL")!;
  const isHere = [url, database_url].every((each) => LOOPBACK.has(new URL(each).hostname));
  if (!isHere && Deno.env.get("TEST_ROWS_MAY_STAY") !== "1") {
    throw new NotUsable(
      `${url} is not on this machine, and the tests leave their rows there. ` +
        "Set TEST_ROWS_MAY_STAY=1 if this stack is only for tests, such as a preview branch.",
    );
  }
  const stack = {
    url,
    gateway_url: `${url}/functions/v1/gateway`,
    template_url: `${url}/functions/v1/send-external-template`,
    whatsapp_url: `${url}/functions/v1/whatsapp`,
    channel_url: "",
    sandbox_url: Deno.env.get("SANDBOX_URL") || null,
    docs_url: null,
    settings_url: null,
    mail_url: null,
    webhooks_url: `${url}/functions/v1/webhooks`,
    receiver_url: null,
    database_url,
    publishable_key: Deno.env.get("SUPABASE_PUBLISHABLE_KEY")!,
    secret_key: "",
    people: null,
    demo: null,
    channel_app: null,
  };
  await refuseRealCompanies(stack);
  return stack;
}

/**
 * The tests create companies and leave them in the database, so the database must not contain real
 * companies.
 * @throws NotUsable if the database contains real companies, or if the functions and the database
 * belong to different projects.
 */
async function refuseRealCompanies({ gateway_url, database_url }: StackAddresses) {
  const sql = postgres(database_url, { max: 1, onnotice: () => {}, prepare: false });
  try {
    const [{ real }] = await sql`
      select count(*)::int as real from companies
      where name <> all (${TEST_COMPANIES}) and id <> ${DEMO_COMPANY_ID}
    `;
    if (real > 0) {
      throw new NotUsable(
        `The database of SUPABASE_DB_URL has companies that no test made (${real}). The tests write ` +
          "to it and leave their rows: name a database that is only for tests.",
      );
    }
    const api_key = await sql.begin(async (sql) => {
      const [{ id }] = await sql`insert into companies (name) values ('Test') returning id`;
      await sql`set local role service_role`;
      const [key] =
        await sql`select api_key from create_api_key('test', array['read'], null, ${id})`;
      return key.api_key;
    });
    const headers = { Authorization: `Bearer ${api_key}` };
    const { status, body } = await fetch(`${gateway_url}/pipelines`, { headers });
    await body?.cancel();
    if (status !== 200) {
      throw new NotUsable(
        `${gateway_url} answers ${status} to a key that was just made in the database of ` +
          "SUPABASE_DB_URL. Check that both belong to one project, " +
          "and that its functions have their secrets.",
      );
    }
  } catch (error) {
    if (error instanceof NotUsable) throw error;
    throw new NotUsable(
      `SUPABASE_URL and SUPABASE_DB_URL cannot be used: ${(error as Error).message}`,
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}
