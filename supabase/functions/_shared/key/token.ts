import * as jose from "jose";
import type { SigningKey } from "../config.ts";

/** What a key must allow. */
export type Scope = "read" | "write" | "messaging";

const LIFE_S = 60;
/** A token serves for half of its life; the other half is for clocks that differ and requests that wait. */
const REUSE_MS = LIFE_S * 1000 / 2;

/**
 * Makes the tokens with which requests of one key reach the database: role `api_client`, the key's hash
 * and the scope that the request needs. A token opens nothing that the key would not: the database judges
 * the key with every statement, so reusing a token for half a minute proves nothing less.
 *
 * @param keyHash null for a request without a key, which sees no row.
 * @param scope null where any valid key will do.
 */
export function tokenSource(
  signingKey: SigningKey,
  keyHash: string | null,
  scope: Scope | null,
): () => Promise<string> {
  let token: Promise<string> | undefined;
  let mintedAt = 0;
  return () => {
    const now = Date.now();
    // A clock that is set back must not keep a token beyond its life.
    if (!token || now < mintedAt || now >= mintedAt + REUSE_MS) {
      [token, mintedAt] = [mint(signingKey, keyHash, scope), now];
    }
    return token;
  };
}

async function mint(
  { key, alg, kid }: SigningKey,
  keyHash: string | null,
  scope: Scope | null,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return await new jose.SignJWT({
    role: "api_client",
    ...(keyHash !== null && { key_hash: keyHash }),
    ...(scope && { scope }),
  })
    .setProtectedHeader({ alg, typ: "JWT", ...(kid && { kid }) })
    .setIssuedAt(now)
    .setExpirationTime(now + LIFE_S)
    .sign(key);
}
