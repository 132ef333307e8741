import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import type { Secrets } from "../secrets.ts";

/**
 * Secrets for the functions. Tokens are signed with either the local stack's `jwt_secret` or a
 * `signing_key`, which is a private JWK in JSON. Without the job secret, the functions `whatsapp`
 * and `webhooks` run no jobs.
 */
export type FunctionSecrets =
  & Pick<Secrets, "publishable_key" | "secret_key" | "credentials_key">
  & Partial<Pick<Secrets, "jobs_secret">>
  & (Pick<Secrets, "jwt_secret"> | { signing_key: string });

/**
 * The environment variables of the functions: the variables that the platform sets, and the
 * functions' secrets.
 */
export function functionEnvironment(
  supabaseUrl: string,
  secrets: FunctionSecrets,
  whatsappApiUrl: string,
  docsUrl: string | null = null,
) {
  return {
    SUPABASE_URL: supabaseUrl,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: secrets.publishable_key }),
    SUPABASE_SECRET_KEY: secrets.secret_key,
    JWT_SIGNING_KEY: "jwt_secret" in secrets ? signingKey(secrets) : secrets.signing_key,
    CREDENTIALS_KEY: secrets.credentials_key,
    JOBS_SECRET: secrets.jobs_secret ?? "",
    WHATSAPP_API_URL: whatsappApiUrl,
    DOCS_URL: docsUrl ?? "",
    // Events may be delivered to the sandbox of the same stack, but to no other URL on this
    // machine.
    WEBHOOK_HOSTS: supabaseUrl.startsWith("http://127.0.0.1:") ? supabaseUrl : "",
  };
}

function signingKey({ jwt_secret }: Pick<Secrets, "jwt_secret">): string {
  // lite accepts the secret as a string. The functions accept it as a key with the same bytes.
  return JSON.stringify({ kty: "oct", alg: "HS256", k: encodeBase64Url(jwt_secret) });
}
