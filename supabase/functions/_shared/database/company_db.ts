import { PostgrestClient } from "@supabase/postgrest-js";
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Config } from "../config.ts";
import { fetchOnce } from "../fetch_once.ts";
import type { Database } from "./types.ts";

/**
 * The database as one company's API key sees it: a client of supabase-js, of which only the part that
 * speaks to the Data API is loaded. Its auth, realtime and storage clients would be half of what a function
 * loads before its first answer, and none of it would be used.
 */
export type CompanyDb = Pick<SupabaseClient<Database>, "from" | "rpc">;

/**
 * A client whose every statement runs as the role of its token, `api_client`, limited by the database
 * itself to the company of the key that the token names.
 */
export function companyDb(config: Config, token: () => Promise<string>): CompanyDb {
  return new PostgrestClient<Database>(`${config.supabaseUrl}/rest/v1`, {
    headers: { apikey: config.publishableKey },
    async fetch(input, init) {
      const headers = new Headers(init?.headers);
      headers.set("Authorization", `Bearer ${await token()}`);
      return await fetchOnce(input, { ...init, headers });
    },
    timeout: config.databaseTimeoutMs,
    // A request costs one round trip; only the caller decides to retry.
    retry: false,
  });
}
