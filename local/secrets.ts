import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import { readIfPresent, writePrivately } from "./files.ts";

/** What the local stack keeps secret, made once for a data folder and kept beside it. */
export interface Secrets {
  /** Of the database roles supabase_admin, postgres and authenticator. */
  database_password: string;
  /** base64url of the 32 bytes with which tokens for the REST layer are signed (HS256). */
  jwt_secret: string;
  /** base64url of the 32 bytes under which tokens of messaging accounts are stored (A256GCM). */
  credentials_key: string;
  publishable_key: string;
  secret_key: string;
}

/** The secrets kept in a file; made, and readable only by their owner, when there are none yet. */
export async function loadSecrets(file: string): Promise<Secrets> {
  const kept = await readIfPresent(file);
  if (kept !== null) return JSON.parse(kept);
  const secrets: Secrets = {
    database_password: random(24),
    jwt_secret: random(32),
    credentials_key: random(32),
    publishable_key: `sb_publishable_${random(24)}`,
    secret_key: `sb_secret_${random(24)}`,
  };
  await writePrivately(file, secrets);
  return secrets;
}

function random(bytes: number): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}
