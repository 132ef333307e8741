import { createHash } from "node:crypto";
import { ApiError } from "./errors.ts";

const PREFIX = "sk_live_";

/**
 * The API key of a request, not judged yet: from `Authorization: Bearer <key>`, else from `X-Api-Key`.
 * A bearer value of another kind (a Supabase client always sends one) gives way to `X-Api-Key`.
 *
 * @throws ApiError missing_api_key when neither header is there, invalid_api_key when what is there
 *   cannot be a key.
 */
export function presentedKey(headers: Headers): string {
  const authorization = headers.get("Authorization");
  const apiKey = headers.get("X-Api-Key");
  if (authorization === null && apiKey === null) {
    throw new ApiError("missing_api_key", "Missing API key");
  }
  const bearer = /^bearer +(.*)$/i.exec(authorization ?? "")?.[1].trim();
  const key = bearer?.startsWith(PREFIX) ? bearer : apiKey?.trim() ?? bearer;
  if (!key?.startsWith(PREFIX)) throw invalidApiKey();
  return key;
}

export function invalidApiKey(): ApiError {
  return new ApiError("invalid_api_key", "Invalid or expired API key");
}

/** What the database knows of a key: SHA-256 in hexadecimal, as create_api_key() computes it. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key, "utf8").digest("hex");
}
