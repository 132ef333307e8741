import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import { readIfPresent, writePrivately } from "./files.ts";

/** The secrets of the local stack, created once for each data folder. */
export interface Secrets {
  /** The password of all database roles that can log in, such as supabase_admin and postgres. */
  database_password: string;
  /** A string whose bytes are the key that signs tokens for the Data API (HS256). */
  jwt_secret: string;
  /** The key that encrypts tokens of messaging accounts (A256GCM): 32 bytes in base64url. */
  credentials_key: string;
  /** The secret that authorises calls to the functions `whatsapp` and `webhooks` to run jobs. */
  jobs_secret: string;
  publishable_key: string;
  secret_key: string;
  /** The password of the demo company's owner, until this person chooses another. */
  owner_password: string;
  /** The password of the demo company's agent, until this person chooses another. */
  agent_password: string;
}

/**
 * Reads the secrets from a file. If the file does not exist, it is created, readable only by its
 * owner. If an earlier version wrote the file, missing secrets are added to the file.
 */
export async function loadSecrets(file: string): Promise<Secrets> {
  const kept = await readIfPresent(file);
  const known: Partial<Secrets> = kept === null ? {} : JSON.parse(kept);
  const secrets: Secrets = { ...newSecrets(), ...known };
  if (Object.keys(secrets).some((name) => !(name in known))) await writePrivately(file, secrets);
  return secrets;
}

function newSecrets(): Secrets {
  return {
    database_password: random(24),
    jwt_secret: random(32),
    credentials_key: random(32),
    jobs_secret: random(32),
    publishable_key: `sb_publishable_${random(24)}`,
    secret_key: `sb_secret_${random(24)}`,
    owner_password: password(),
    agent_password: password(),
  };
}

/** Letters and digits that cannot be confused with each other. */
const LEGIBLE = "abcdefghjkmnpqrstuvwxyz23456789";

/** A password that is easy to read and type: four groups of four characters, 79 bits. */
function password(): string {
  const group = () =>
    Array.from(
      { length: 4 },
      () =>
        LEGIBLE[
          Math.floor(crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32 * LEGIBLE.length)
        ],
    ).join("");
  return Array.from({ length: 4 }, group).join("-");
}

function random(bytes: number): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(bytes)));
}
