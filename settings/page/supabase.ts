// What the page needs from supabase-js: Auth and the Data API. The rest of it (Realtime, Storage,
// Functions) would be half of the code that a visitor waits for. These packages are in a separate
// file, which browsers keep when the rest of the page changes.
import { AuthClient } from "@supabase/auth-js";
import { PostgrestClient } from "@supabase/postgrest-js";
import type { SupabaseClient as WholeClient } from "@supabase/supabase-js";

/** The options of a client, as supabase-js has them. */
export interface ClientOptions {
  auth: Omit<NonNullable<ConstructorParameters<typeof AuthClient>[0]>, "url" | "headers" | "fetch">;
  fetch: typeof fetch;
}

/** The calls of supabase-js that the page uses. */
export type SupabaseClient = Pick<WholeClient, "from" | "rpc"> & {
  auth: InstanceType<typeof AuthClient>;
};

/** A client of the project. It calls the Data API with the user's session. */
export function createClient(url: string, key: string, options: ClientOptions): SupabaseClient {
  const auth = new AuthClient({
    ...options.auth,
    url: `${url}/auth/v1`,
    headers: { apikey: key, Authorization: `Bearer ${key}` },
    fetch: options.fetch,
  });
  const asPerson: typeof fetch = async (input, init) => {
    const { data: { session } } = await auth.getSession();
    const headers = new Headers(init?.headers);
    headers.set("apikey", key);
    headers.set("Authorization", `Bearer ${session?.access_token ?? key}`);
    return await options.fetch(input, { ...init, headers });
  };
  // A call is not retried, so that the user sees the error immediately and can try again.
  const rest = new PostgrestClient(`${url}/rest/v1`, { fetch: asPerson, retry: false });
  return { auth, from: rest.from.bind(rest), rpc: rest.rpc.bind(rest) } as SupabaseClient;
}
