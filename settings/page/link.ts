import type { AuthError, Session } from "@supabase/supabase-js";
import type { SupabaseClient } from "./supabase.ts";

/** With what a person came who followed the link of a mail. */
export interface Link {
  /** Those of the session that the link begins; null when it begins none. */
  tokens: { access_token: string; refresh_token: string } | null;
  /** The link signs in, and the person then chooses a password: it was of a reset or of an invitation. */
  choosesPassword: boolean;
  /** The link was used before or is too old. */
  hasFailed: boolean;
}

/** What Supabase Auth has put behind the `#` of the address. A failure is taken out of it. */
export function takeLink(): Link {
  const said = new URLSearchParams(location.hash.replace(/^#\/?/, ""));
  const hasFailed = said.has("error") || said.has("error_code");
  if (hasFailed) clearAddress();
  const [access_token, refresh_token] = [said.get("access_token"), said.get("refresh_token")];
  const tokens = access_token && refresh_token ? { access_token, refresh_token } : null;
  const choosesPassword = tokens !== null &&
    ["recovery", "invite"].includes(said.get("type") ?? "");
  return { tokens, choosesPassword, hasFailed };
}

/**
 * The session of whoever comes: that of the link, else the one that the browser keeps. A link whose tokens sign nobody in
 * has failed. supabase-js would leave the address with the tokens in the history of the browser.
 *
 * @returns as error only that the session could not be made anew or judged without a network.
 */
export async function sessionOf(
  { auth }: SupabaseClient,
  link: Link,
): Promise<{ session: Session | null; error: AuthError | null }> {
  if (link.tokens) {
    const { data: { session }, error } = await auth.setSession(link.tokens)
      // supabase-js throws at a token whose parts are no objects.
      .catch(() => ({ data: { session: null }, error: null }));
    // The address keeps the tokens for another try.
    if (isOffline(error)) return { session: null, error };
    clearAddress();
    if (session) return { session, error: null };
    Object.assign(link, { hasFailed: true, choosesPassword: false });
  }
  const { data: { session }, error } = await auth.getSession();
  return { session, error: isOffline(error) ? error : null };
}

function isOffline(error: AuthError | null): boolean {
  return error?.name === "AuthRetryableFetchError";
}

function clearAddress() {
  history.replaceState(null, "", location.pathname + location.search);
}
