import { PostgrestClient } from "@supabase/postgrest-js";
import type { SupabaseClient } from "@supabase/supabase-js";
import type { Config } from "../config.ts";
import { fetchOnce } from "../fetch_once.ts";
import type { Database } from "./types.ts";

/**
 * The database as one company's API key sees it: the part of the supabase-js client that calls the Data API.
 * The auth, realtime and storage clients are not loaded: they would double the code that a function loads
 * before its first answer.
 */
export type CompanyDb = Pick<SupabaseClient<Database>, "from" | "rpc">;

/**
 * A client whose statements run as the role of its token, `api_client`. The database limits them to the
 * company of the key that the token names.
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
    // A request costs one round trip. Whether to retry is the caller's decision.
    retry: false,
  });
}
