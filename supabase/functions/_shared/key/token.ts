import * as jose from "jose";
import type { SigningKey } from "../config.ts";

/** A permission of an API key. */
export type Scope = "read" | "write" | "messaging";

/**
 * The role of a request in the database. `api_reader` reads the views of a company's own rows and nothing else;
 * `api_client` writes, and calls functions.
 */
export type Role = "api_client" | "api_reader";

/** The rest of a token's life after its last use is for a clock that is behind and for requests that wait. */
const LIFE_S = 150;
const REUSE_MS = 30_000;

/**
 * Makes the tokens for the database requests of one key: the role, the key's hash, and the scope that the operation
 * needs. A token can be used again for half a minute, because the database judges the key
 * in every statement anyway.
 *
 * @param keyHash null for a request without a key, which sees no row.
 * @param scope null when any valid key will do.
 */
export function tokenSource(
  signingKey: SigningKey,
  keyHash: string | null,
  scope: Scope | null,
  role: Role = "api_client",
): () => Promise<string> {
  return reusedToken(signingKey, {
    role,
    ...(keyHash !== null && { key_hash: keyHash }),
    ...(scope && { scope }),
  });
}

/**
 * Makes the tokens for the database requests of the function `whatsapp`: role `channel_client`, which reads
 * and writes no table and calls the functions of its jobs, for every company.
 */
export function channelTokenSource(signingKey: SigningKey): () => Promise<string> {
  return reusedToken(signingKey, { role: "channel_client" });
}

/**
 * Makes the tokens by which a function tells how keys were used: role `usage_client`, which reads and writes no table
 * and calls the one function for it.
 */
export function usageTokenSource(signingKey: SigningKey): () => Promise<string> {
  return reusedToken(signingKey, { role: "usage_client" });
}

/** Makes a token with these claims, and gives it out again for half a minute. */
function reusedToken(signingKey: SigningKey, claims: jose.JWTPayload): () => Promise<string> {
  let token: Promise<string> | undefined;
  let mintedAt = 0;
  return () => {
    const now = Date.now();
    // When the clock is set back, the token is made anew: it must not be used beyond its life.
    if (!token || now < mintedAt || now >= mintedAt + REUSE_MS) {
      [token, mintedAt] = [mint(signingKey, claims), now];
    }
    return token;
  };
}

async function mint({ key, alg, kid }: SigningKey, claims: jose.JWTPayload): Promise<string> {
  // Without the time of its issue: with one, PostgREST refuses every token of a clock that is ahead.
  return await new jose.SignJWT(claims)
    .setProtectedHeader({ alg, typ: "JWT", ...(kid && { kid }) })
    .setExpirationTime(Math.floor(Date.now() / 1000) + LIFE_S)
    .sign(key);
}
