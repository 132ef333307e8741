import * as base64url from "jose/base64url";
import { SIGNING, type SigningKey } from "../config.ts";

/** A permission of an API key. */
export type Scope = "read" | "write" | "messaging" | "webhooks";

/**
 * The database role of a request. `api_reader` only reads the views of a company's own rows.
 * `api_client` writes and calls database functions.
 */
export type Role = "api_client" | "api_reader";

/**
 * A token remains valid for some time after its last reuse, because a request may wait, or a clock
 * may be wrong.
 */
const LIFE_S = 150;
const REUSE_MS = 30_000;

/**
 * Creates the tokens for one key's database requests. A token contains the role, the key's hash,
 * and the scope that the operation needs. A token can be reused for half a minute, because the
 * database checks the key in every statement anyway.
 *
 * @param keyHash null for a request without a key, which sees no rows.
 * @param scope null when any valid key is sufficient.
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
 * Creates the tokens for the database requests of the function `whatsapp`. Their role
 * `channel_client` cannot read or write any table. The role may call the database functions for the
 * channel's events and for the jobs, for every company.
 */
export function channelTokenSource(signingKey: SigningKey): () => Promise<string> {
  return reusedToken(signingKey, { role: "channel_client" });
}

/**
 * Creates the tokens for the database requests of the function `webhooks`. Their role
 * `webhook_client` cannot read or write any table. The role may call the database functions of the
 * delivery job, for every company.
 */
export function webhookTokenSource(signingKey: SigningKey): () => Promise<string> {
  return reusedToken(signingKey, { role: "webhook_client" });
}

/**
 * Creates the tokens that a function uses to store the usage of keys. Their role `usage_client`
 * cannot read or write any table. The role may call only one database function.
 */
export function usageTokenSource(signingKey: SigningKey): () => Promise<string> {
  return reusedToken(signingKey, { role: "usage_client" });
}

/**
 * Creates the tokens with which the function `settings` stores data on behalf of a user. Only this
 * function may store that data. The tokens' role `settings_client` cannot read or write any table.
 * The database checks the user's permissions again.
 *
 * @param person the claims of the user's JWT, as the database has confirmed them.
 */
export function settingsTokenSource(
  signingKey: SigningKey,
  person: Record<string, string>,
): () => Promise<string> {
  return reusedToken(signingKey, { ...person, role: "settings_client" });
}

type Claims = Record<string, string>;

/** Creates a token with these claims, and reuses it for half a minute. */
function reusedToken(signingKey: SigningKey, claims: Claims): () => Promise<string> {
  let token: Promise<string> | undefined;
  let mintedAt = 0;
  return () => {
    const now = Date.now();
    // If the clock was set back, a new token is created, because a token must not be used after its
    // lifetime.
    if (!token || now < mintedAt || now >= mintedAt + REUSE_MS) {
      [token, mintedAt] = [mint(signingKey, claims), now];
    }
    return token;
  };
}

/** A signed JWT (RFC 7519) in its compact form (RFC 7515, 7.1). */
async function mint({ key, alg, kid }: SigningKey, claims: Claims): Promise<string> {
  // The token has no `iat`: if the clock is ahead, PostgREST would reject the token.
  const exp = Math.floor(Date.now() / 1000) + LIFE_S;
  const parts = [{ alg, typ: "JWT", ...(kid && { kid }) }, { ...claims, exp }];
  const content = parts.map((part) => base64url.encode(JSON.stringify(part))).join(".");
  const bytes = new TextEncoder().encode(content);
  const signature = await crypto.subtle.sign(SIGNING[alg], key, bytes);
  return `${content}.${base64url.encode(new Uint8Array(signature))}`;
}
