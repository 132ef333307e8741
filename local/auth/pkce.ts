// A correction of @supabase/lite, like those in corrections.ts. On Supabase, a browser can request
// a link with PKCE. The link then leads to a URL that contains a code, and only that browser can
// exchange the code for a session. lite's link leads to a URL that contains the session's tokens.
import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import { type Context, refusal, type Service } from "./service.ts";

/** Maps a code to its session, until the browser exchanges the code for the session. */
export type Codes = Map<string, { challenge: string; session: object }>;

/** The token in a link. If the request has a PKCE challenge, the token contains that challenge. */
export async function tokenWithChallenge({ req }: Context, tokenHash: string): Promise<string> {
  const { code_challenge } = JSON.parse(await req.text() || "{}");
  return code_challenge ? `pkce_${tokenHash}_${code_challenge}` : tokenHash;
}

/**
 * Corrects a request's auth service.
 * @returns the function that corrects the response afterwards.
 */
export function correctPkce(service: Service, context: Context, codes: Codes): () => void {
  const { verifyOtp, exchangePkceCode } = service;
  let verified: { challenge: string; session: object } | null = null;

  service.verifyOtp = async (asked) => {
    const [, token_hash, challenge] = /^pkce_([^_]+)_(.+)$/.exec(`${asked.token_hash}`) ?? [];
    if (!challenge) return await verifyOtp.call(service, asked);
    const session = await verifyOtp.call(service, { ...asked, token_hash });
    verified = { challenge, session };
    return session;
  };

  service.exchangePkceCode = async (code, verifier) => {
    const waiting = codes.get(`${code}`);
    if (!waiting || !verifier) return await exchangePkceCode.call(service, code, verifier);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${verifier}`));
    if (![encodeBase64Url(digest), verifier].includes(waiting.challenge)) {
      throw await refusal(
        service,
        400,
        "bad_code_verifier",
        "code challenge does not match previously saved code verifier",
      );
    }
    codes.delete(`${code}`);
    return waiting.session;
  };

  return () => {
    const { headers } = context.res;
    const place = URL.parse(headers.get("Location") ?? "");
    if (!place || !context.req.query("token")?.startsWith("pkce_")) return;
    if (verified) {
      const code = crypto.randomUUID();
      codes.set(code, verified);
      place.searchParams.set("code", code);
      place.hash = "";
    } else {
      // Supabase puts an error into both the query string and the fragment of a URL.
      const said = new URLSearchParams(place.hash.slice(1));
      for (const [name, value] of said) place.searchParams.set(name, value);
    }
    headers.set("Location", place.href);
  };
}
