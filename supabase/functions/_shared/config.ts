import * as jose from "jose";

/** What every function needs to reach its database. */
export interface Config {
  supabaseUrl: string;
  publishableKey: string;
  signingKey: SigningKey;
}

/** The key with which the functions say to the database whose request it is. */
export interface SigningKey {
  key: jose.CryptoKey | Uint8Array;
  alg: "HS256" | "ES256";
  /** The key's id among the project's signing keys, when it has one. */
  kid?: string;
}

/** A secret or variable is missing or malformed. The message names it and says what belongs there. */
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
  };
}

function readSupabaseUrl({ SUPABASE_URL }: Environment): string {
  if (!SUPABASE_URL || !URL.canParse(SUPABASE_URL)) {
    throw new ConfigError("SUPABASE_URL must be the URL of the Supabase project.");
  }
  return SUPABASE_URL;
}

/** The platform sets the dictionary; projects from before publishable keys have only the anon key. */
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

async function readSigningKey({ JWT_SIGNING_KEY }: Environment): Promise<SigningKey> {
  const expected =
    "JWT_SIGNING_KEY must be a private JWK as JSON: an EC key on P-256 that is among the project's " +
    "signing keys, or an oct key with the project's JWT secret.";
  const jwk = JWT_SIGNING_KEY ? parseObject(JWT_SIGNING_KEY) as jose.JWK | null : null;
  const alg = jwk?.kty === "oct" && jwk.k
    ? "HS256"
    : jwk?.kty === "EC" && jwk.crv === "P-256" && jwk.d
    ? "ES256"
    : null;
  if (!jwk || !alg) throw new ConfigError(expected);
  try {
    return { key: await jose.importJWK(jwk, alg), alg, kid: jwk.kid };
  } catch {
    throw new ConfigError(expected); // the reason of the library would quote parts of the key
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
