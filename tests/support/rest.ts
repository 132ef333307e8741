import { type JWTPayload, SignJWT } from "jose";
import { hashKey } from "../../supabase/functions/_shared/api_key.ts";
import { type Answer, send } from "./gateway.ts";
import { secrets, stack } from "./stack.ts";

/** The key under which the Data API takes tokens: the bytes of the secret's text. */
export const signingKey = new TextEncoder().encode(secrets.jwt_secret);

/** A token with these claims; good for a minute and signed as the edge functions do, unless said otherwise. */
export async function token(
  claims: JWTPayload,
  { key = signingKey, expires = "1m" }: { key?: Uint8Array; expires?: string } = {},
): Promise<string> {
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setExpirationTime(expires)
    .sign(key);
}

/** A token as the edge functions mint it for a request that carries an API key. */
export async function keyToken(key: string, scope?: string): Promise<string> {
  return await token({ role: "api_client", key_hash: hashKey(key), ...(scope && { scope }) });
}

/** A token as a person gets it who has signed in. */
export async function personToken(userId: string): Promise<string> {
  return await token({ role: "authenticated", sub: userId });
}

/** Calls the Data API itself, around the edge functions, as anyone who holds the publishable key can. */
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
