import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import type { Secrets } from "../secrets.ts";

/** What the functions are configured with: what the platform sets, and their own secrets. */
export function functionEnvironment(
  url: string,
  secrets: Secrets,
  whatsappApiUrl: string,
): Record<string, string> {
  // lite takes the secret as text and the functions take it as a key; these are the same bytes.
  const k = encodeBase64Url(secrets.jwt_secret);
  return {
    SUPABASE_URL: url,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: secrets.publishable_key }),
    SUPABASE_SECRET_KEY: secrets.secret_key,
    JWT_SIGNING_KEY: JSON.stringify({ kty: "oct", alg: "HS256", k }),
    CREDENTIALS_KEY: secrets.credentials_key,
    WHATSAPP_API_URL: whatsappApiUrl,
  };
}
