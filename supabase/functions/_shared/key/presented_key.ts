import { ApiError, invalidApiKey } from "../errors.ts";

const PREFIX = "sk_live_";
/** A longer value is not a key. `create_api_key()` creates keys of 51 characters. */
const MAX_LENGTH = 255;

/**
 * A request's API key, before any check: from `Authorization: Bearer <key>`, otherwise from
 * `X-Api-Key`. `X-Api-Key` is also used if the bearer value does not have the format of a key,
 * because Supabase clients always send a bearer value.
 *
 * @throws ApiError missing_api_key when neither header is present, and invalid_api_key when neither
 *   header has a value in the format of a key.
 */
export function presentedKey(headers: Headers): string {
  const authorization = headers.get("Authorization");
  const apiKey = headers.get("X-Api-Key");
  if (authorization === null && apiKey === null) {
    throw new ApiError("missing_api_key", "Missing API key");
  }
  const bearer = /^bearer (.*)$/i.exec(authorization ?? "")?.[1].trim();
  const key = bearer?.startsWith(PREFIX) ? bearer : apiKey?.trim() ?? bearer;
  if (!key?.startsWith(PREFIX) || key.length > MAX_LENGTH) throw invalidApiKey();
  return key;
}

/**
 * The SHA-256 of a key in hexadecimal. `create_api_key()` computes the same string, and the
 * database stores that string.
 */
export async function hashKey(key: string): Promise<string> {
  // A plain hash is sufficient: keys are random, so a dictionary attack is impossible. node:crypto
  // is not used, because it takes as long to load as all code of the functions.
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
