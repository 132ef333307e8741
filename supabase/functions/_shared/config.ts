import * as base64url from "jose/base64url";
import type { Share } from "./fair_share.ts";
import { isExposed, isThisMachine, serviceUrl, withoutSlash } from "./service_url.ts";

/** The settings that every function needs to reach its database. */
export interface Config {
  supabaseUrl: string;
  publishableKey: string;
  signingKey: SigningKey;
  /** A database that takes longer than this to respond is treated as down. */
  databaseTimeoutMs: number;
  /** How many statements of one company may run through the Data API at the same time. */
  statementShare: Share;
  /**
   * How many statements may run at the same time if their keys are not yet known to be valid. All
   * these keys share one limit. Each statement counts against this limit for at most `placeMs`.
   */
  strangerShare: Share & { placeMs: number };
  /** A request body that takes longer than this to arrive is refused. */
  bodyTimeoutMs: number;
  /**
   * How often an instance stores the usage of keys, while keys are in use. The documentation
   * promises that the counts are at most one minute late.
   */
  tellUsageEveryMs: number;
  /**
   * The URL of the guide for callers, without a trailing slash. If it is null, errors do not link
   * to a page of the guide.
   */
  docsUrl: string | null;
  /**
   * `local` if the WhatsApp API is on the same machine as the functions, such as the sandbox of a
   * local stack. Otherwise `live`, because messages may then reach people.
   */
  environment: "live" | "local";
}

/**
 * The key that signs the tokens for the database. A token identifies the caller to the database.
 */
export interface SigningKey {
  key: CryptoKey;
  alg: keyof typeof SIGNING;
  /**
   * The key's id among the project's signing keys. Without the id, the project tries each of its
   * keys.
   */
  kid?: string;
}

/** The runtime's signing parameters for each JWT algorithm. */
export const SIGNING = {
  HS256: { name: "HMAC", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
} as const;

/**
 * A secret or variable is missing or malformed. The message names the secret or the variable, and
 * describes a valid value.
 */
export class ConfigError extends Error {
  override name = "ConfigError";
}

type Environment = Record<string, string | undefined>;

/**
 * Reads the configuration once, when a function starts.
 * @throws ConfigError with a message for the operator's log.
 */
export async function readConfig(env: Environment): Promise<Config> {
  return {
    supabaseUrl: readSupabaseUrl(env),
    publishableKey: readPublishableKey(env),
    signingKey: await readSigningKey(env),
    databaseTimeoutMs: 10_000,
    // On the smallest plan, the Data API's pool has ten connections. `atOnce` is half of the
    // connections.
    statementShare: { atOnce: 5, waiting: 64, patienceMs: 5_000 },
    // Two statements at a time are enough. A valid key is known after its first response. An
    // unknown key is refused within milliseconds. A statement with a valid key may take longer in
    // the database, but it counts against the limit only for `placeMs`.
    strangerShare: { atOnce: 2, waiting: 1_000, patienceMs: 5_000, placeMs: 250 },
    bodyTimeoutMs: 15_000,
    tellUsageEveryMs: 20_000,
    docsUrl: readDocsUrl(env),
    environment: readEnvironment(env),
  };
}

function readSupabaseUrl({ SUPABASE_URL }: Environment): string {
  if (!/^https?:/.test(SUPABASE_URL ?? "") || !URL.canParse(SUPABASE_URL!)) {
    throw new ConfigError("SUPABASE_URL must be the URL of the Supabase project.");
  }
  return SUPABASE_URL!;
}

/**
 * Reads DOCS_URL. An `http:` URL is refused unless it is on this machine, because an attacker on
 * the network could impersonate its server.
 */
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

/**
 * Reads WHATSAPP_API_URL without checking it. Only the functions that call the WhatsApp API check
 * this URL; see `readChannelConfig`.
 */
function readEnvironment({ WHATSAPP_API_URL }: Environment): Config["environment"] {
  const url = serviceUrl(WHATSAPP_API_URL ?? "");
  return url && isThisMachine(url.hostname) ? "local" : "live";
}

/**
 * The platform sets SUPABASE_PUBLISHABLE_KEYS, a dictionary of keys. An older project has only the
 * anon key.
 */
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
  try {
    return await importSigningKey(parseObject(JWT_SIGNING_KEY ?? "") ?? {});
  } catch {
    // The reason is left out, because it would contain parts of the key.
    throw new ConfigError(
      "JWT_SIGNING_KEY must be a private JWK as JSON: an EC key on P-256 that is among the " +
        "project's signing keys, or an oct key with the project's JWT secret, of at least 32 " +
        "bytes; a kid, if present, is 1 to 255 printable ASCII characters.",
    );
  }
}

/**
 * Imports a private JWK. The runtime checks a key only when the key is used to sign, and even then
 * not strictly. An invalid key must stop the function at startup, so each property is checked here.
 * No schema is used, because building a schema would take a tenth of the startup time.
 *
 * @throws Error when a property is missing or malformed.
 */
async function importSigningKey(jwk: Record<string, unknown>): Promise<SigningKey> {
  const read = (member: string, form: RegExp): string => {
    const value = jwk[member];
    if (typeof value === "string" && form.test(value)) return value;
    throw new Error(`malformed: ${member}`);
  };
  const kid = jwk.kid === undefined ? undefined : read("kid", /^[!-~]{1,255}$/); // printable ASCII
  if (read("kty", /^(oct|EC)$/) === "oct") {
    const secret = Uint8Array.from(base64url.decode(read("k", /^[A-Za-z0-9_-]{43,}$/)));
    const key = await crypto.subtle.importKey("raw", secret, SIGNING.HS256, false, ["sign"]);
    return { key, alg: "HS256", kid };
  }
  const [x, y, d] = ["x", "y", "d"].map((member) => read(member, /^[A-Za-z0-9_-]{43}$/));
  const ec = { kty: "EC", crv: read("crv", /^P-256$/), x, y, d };
  const key = await crypto.subtle.importKey("jwk", ec, SIGNING.ES256, false, ["sign"]);
  return { key, alg: "ES256", kid };
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
