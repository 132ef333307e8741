import type { AuthError, Session } from "@supabase/supabase-js";
import type { Project } from "./project.ts";

/** The reasons why a link does not sign anyone in. */
export type LinkFault =
  | "linkFailed" // the link was already used, is too old or was never valid
  | "otherBrowser" // the link was requested in another browser
  | "offline";

/** The data that Supabase Auth added to the URL when an e-mailed link led a user here. */
export interface Link {
  /**
   * A code from a link that a browser requested. Only that browser can exchange the code for a
   * session.
   */
  code: string | null;
  /** Session tokens from a link that no browser requested, such as an invitation. */
  tokens: { access_token: string; refresh_token: string } | null;
  /** Whether the user must choose a password, as after an invitation or reset link. */
  choosesPassword: boolean;
  hasFailed: boolean;
}

/** A user who opened a link and is not signed in yet. */
export interface Arrival {
  session: Session;
  /** Whether this browser requested the link. */
  isAskedFor: boolean;
  choosesPassword: boolean;
}

/**
 * Reads the link's data from the URL. If the link reports a failure, the report is removed from the
 * URL.
 */
export function takeLink(): Link {
  const [query, hash] = [location.search, location.hash.replace(/^#\/?/, "")]
    .map((text) => new URLSearchParams(text));
  const hasFailed = [query, hash].some((said) => said.has("error") || said.has("error_code"));
  if (hasFailed) clearAddress();
  const [access_token, refresh_token] = [hash.get("access_token"), hash.get("refresh_token")];
  return {
    code: query.get("code"),
    tokens: access_token && refresh_token ? { access_token, refresh_token } : null,
    choosesPassword: ["recovery", "invite"].includes(hash.get("type") ?? ""),
    hasFailed,
  };
}

/**
 * The user who opened the link, if the link is valid; null when there is no link. This code
 * handles the link itself, because supabase-js would leave tokens in the browser's history.
 */
export async function arrivalOf(
  { links: { auth } }: Project,
  { code, tokens, choosesPassword, hasFailed }: Link,
): Promise<Arrival | LinkFault | null> {
  if (hasFailed) return "linkFailed";
  if (!code && !tokens) return null;
  const { data, error } =
    await (code ? auth.exchangeCodeForSession(code) : auth.setSession(tokens!))
      // supabase-js throws an error if the parts of a token are not objects.
      .catch(() => ({ data: { session: null }, error: null }));
  // The link's data remains in the URL, so that the user can try again.
  if (isOffline(error)) return "offline";
  clearAddress();
  if (!data.session) {
    const isOfOther = ["pkce_code_verifier_not_found", "bad_code_verifier"];
    return isOfOther.includes(error?.code ?? "") ? "otherBrowser" : "linkFailed";
  }
  // The types of supabase-js do not have this member.
  const { redirectType } = data as { redirectType?: string | null };
  return {
    session: data.session,
    isAskedFor: code !== null,
    choosesPassword: code ? redirectType === "recovery" : choosesPassword,
  };
}

export function isOffline(error: AuthError | null): boolean {
  return error?.name === "AuthRetryableFetchError";
}

function clearAddress() {
  history.replaceState(null, "", location.pathname);
}
