import * as jose from "jose";
import * as z from "zod";
import type { Share } from "./fair_share.ts";
import { isExposed, serviceUrl, withoutSlash } from "./service_url.ts";

/** What every function needs to reach its database. */
export interface Config {
  supabaseUrl: string;
  publishableKey: string;
  signingKey: SigningKey;
  /** A database that takes longer to answer is treated as down. */
  databaseTimeoutMs: number;
  /** The share of one company in the statements that are at the Data API at once. */
  statementShare: Share;
  /**
   * The share, in those statements, of all keys together that are not known to be valid. A statement of theirs
   * keeps its place for `placeMs` at most.
   */
  strangerShare: Share & { placeMs: number };
  /** A body that has not arrived so long after its request is given up. */
  bodyTimeoutMs: number;
  /** How often an instance tells how keys were used, while they are used. People are promised a minute. */
  tellUsageEveryMs: number;
  /** Where the pages for callers are, without a slash at the end. Null: errors do not name their page. */
  docsUrl: string | null;
}

/** The key that signs the tokens by which the database knows whose request it is. */
export interface SigningKey {
  key: jose.CryptoKey | Uint8Array;
  alg: "HS256" | "ES256";
  /** The key's id among the project's signing keys. Without it, the project tries each of its keys. */
  kid?: string;
}

/** A secret or variable is missing or malformed. The message names it and describes a good value. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

type Environment = Record<string, string | undefined>;

/**
 * Reads the configuration once, when a function starts.
 * @throws ConfigError with one sentence, for the operator's log.
 */
export async function readConfig(env: Environment): Promise<Config> {
  return {
    supabaseUrl: readSupabaseUrl(env),
    publishableKey: readPublishableKey(env),
    signingKey: await readSigningKey(env),
    databaseTimeoutMs: 10_000,
    // Half of the ten connections that the Data API's pool has on the smallest plan.
    statementShare: { atOnce: 5, waiting: 64, patienceMs: 5_000 },
    // Few at once, because a valid key is known after its first answer. An unknown one is refused within
    // milliseconds, so a place is kept no longer than that; a valid key may wait in the database.
    strangerShare: { atOnce: 2, waiting: 1_000, patienceMs: 5_000, placeMs: 250 },
    bodyTimeoutMs: 15_000,
    tellUsageEveryMs: 20_000,
    docsUrl: readDocsUrl(env),
  };
}

function readSupabaseUrl({ SUPABASE_URL }: Environment): string {
  if (!/^https?:/.test(SUPABASE_URL ?? "") || !URL.canParse(SUPABASE_URL!)) {
    throw new ConfigError("SUPABASE_URL must be the URL of the Supabase project.");
  }
  return SUPABASE_URL!;
}

/** Callers are sent there, so an address that a stranger on the way could answer is refused. */
function readDocsUrl({ DOCS_URL }: Environment): string | null {
  if (!DOCS_URL) return null;
  const url = serviceUrl(DOCS_URL);
  if (url && !isExposed(url)) return withoutSlash(url);
  throw new ConfigError(
    "DOCS_URL must be the https:// URL of the folder of the documentation's pages, such as " +
      "https://docs.example.com, or be left out; http:// is only for this machine (localhost, 127.0.0.1, " +
      "[::1]) and host.docker.internal.",
  );
}

/** The platform sets the dictionary. A project from before publishable keys has only the anon key. */
function readPublishableKey(env: Environment): string {
  const { SUPABASE_PUBLISHABLE_KEYS: dictionary, SUPABASE_ANON_KEY: anonKey } = env;
  if (dictionary) {
    const key = parseObject(dictionary)?.default;
    if (typeof key === "string" && key !== "") return key;
    throw new ConfigError(
      'SUPABASE_PUBLISHABLE_KEYS must be a JSON object with a publishable key under "default".',
    );
  }
  if (anonKey) return anonKey;
  throw new ConfigError(
    "SUPABASE_PUBLISHABLE_KEYS (or SUPABASE_ANON_KEY) is missing; the platform sets it.",
  );
}

// The runtime checks a key only when it signs, and loosely. A wrong key must stop the function at its start.
const BYTES_32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const KeyId = z.string().regex(/^[!-~]{1,255}$/); // printable ASCII
const SigningJwk = z.discriminatedUnion("kty", [
  z.object({
    kty: z.literal("oct"),
    k: z.string().regex(/^[A-Za-z0-9_-]{43,}$/),
    kid: KeyId.optional(),
  }),
  z.object({
    kty: z.literal("EC"),
    crv: z.literal("P-256"),
    x: BYTES_32,
    y: BYTES_32,
    d: BYTES_32,
    kid: KeyId.optional(),
  }),
]);

async function readSigningKey({ JWT_SIGNING_KEY }: Environment): Promise<SigningKey> {
  try {
    const jwk = SigningJwk.parse(parseObject(JWT_SIGNING_KEY ?? ""));
    const alg = jwk.kty === "oct" ? "HS256" : "ES256";
    return { key: await jose.importJWK(jwk, alg), alg, kid: jwk.kid };
  } catch {
    // The reason is left out, because it would quote parts of the key.
    throw new ConfigError(
      "JWT_SIGNING_KEY must be a private JWK as JSON: an EC key on P-256 that is among the project's " +
        "signing keys, or an oct key with the project's JWT secret, of at least 32 bytes; a kid, where " +
        "there is one, is 1 to 255 printable ASCII characters.",
    );
  }
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
