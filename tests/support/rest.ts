import { type JWTPayload, SignJWT } from "jose";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { readConfig, type SigningKey } from "../../supabase/functions/_shared/config.ts";
import { type Answer, send } from "./calls.ts";
import { environment, stack } from "./test_stack.ts";

const { signingKey } = await readConfig(environment());

/**
 * A JWT with these claims. By default, it is valid for one hour and signed with the functions' key.
 */
export async function token(
  claims: JWTPayload,
  { key, expires = "1h" }: { key?: Uint8Array; expires?: string | number } = {},
): Promise<string> {
  const { alg, kid }: Omit<SigningKey, "key"> = key ? { alg: "HS256" } : signingKey;
  return await new SignJWT(claims)
    .setProtectedHeader({ alg, typ: "JWT", ...(kid && { kid }) })
    .setExpirationTime(expires)
    .sign(key ?? signingKey.key);
}

/** The token that the functions create for a request with this API key. */
export async function keyToken(key: string, scope?: string): Promise<string> {
  return await token({ role: "api_client", key_hash: await hashKey(key), ...(scope && { scope }) });
}

/** The token that the functions create for a read request with this API key. */
export async function readerToken(key: string, scope: string | undefined = "read") {
  return await token({ role: "api_reader", key_hash: await hashKey(key), ...(scope && { scope }) });
}

/** The token of a signed-in user. */
export async function personToken(userId: string): Promise<string> {
  return await token({ role: "authenticated", sub: userId });
}

/** The token of a user who has signed in with a second factor. */
export async function secondFactorToken(userId: string): Promise<string> {
  return await token({ role: "authenticated", sub: userId, aal: "aal2" });
}

/** Calls the Data API directly. Everyone with the publishable key can do this. */
export async function rest(
  token: string | null,
  method: string,
  path: string,
  { json, headers = {} }: { json?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return await send(`${stack.url}/rest/v1${path}`, method, {
    apikey: stack.publishable_key,
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(json === undefined ? {} : { "Content-Type": "application/json" }),
    Prefer: "return=representation",
    ...headers,
  }, json === undefined ? undefined : JSON.stringify(json));
}
