import { ApiError, invalidApiKey } from "../errors.ts";

const PREFIX = "sk_live_";
/** A longer value is not a key. create_api_key() makes keys of 51 characters. */
const MAX_LENGTH = 255;

/**
 * The API key of a request, before any check: from `Authorization: Bearer <key>`, otherwise from
 * `X-Api-Key`. `X-Api-Key` also counts if the bearer value does not have the form of a key, because
 * Supabase clients always send a bearer value.
 *
 * @throws ApiError missing_api_key when neither header is present, invalid_api_key when neither has
 *   a value in the form of a key.
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
 * The SHA-256 of a key in hexadecimal. create_api_key() computes the same text, and the database
 * stores it.
 */
export async function hashKey(key: string): Promise<string> {
  // A plain digest is enough: keys are random, so there is no dictionary to try. node:crypto is not
  // used, because it takes as long to load as all code of the functions.
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
