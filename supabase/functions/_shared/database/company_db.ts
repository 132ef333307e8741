import { PostgrestClient } from "@supabase/postgrest-js";
import type {
  PostgrestError,
  PostgrestSingleResponse,
  SupabaseClient,
} from "@supabase/supabase-js";
import * as jose from "jose";
import { invalidApiKey } from "../key/api_key.ts";
import type { Config, SigningKey } from "../config.ts";
import type { Database } from "./types.ts";
import { ApiError } from "../errors.ts";
import { fetchOnce } from "../fetch_once.ts";
import { RecentlyUsed } from "./recently_used.ts";

/**
 * The database as one company's API key sees it: a client of supabase-js, of which only the part that
 * speaks to the Data API is loaded. Its auth, realtime and storage clients would be half of what a function
 * has to load before its first answer, and none of it would be used.
 */
export type CompanyDb = Pick<SupabaseClient<Database>, "from" | "rpc">;

/** What a key must allow; null where any valid key will do. */
export type Scope = "read" | "write" | "messaging" | null;

/**
 * A client whose every statement runs as `api_client`, limited to the company of the key by the
 * database itself. The token behind it says which key and scope, lives one minute, and opens nothing
 * that the key would not: the database judges the key with every statement.
 *
 * @param keyHash null where there is no key; then there is no row to be seen.
 */
export function companyDb(config: Config, keyHash: string | null, scope: Scope): CompanyDb {
  const token = reused(() => mintToken(config.signingKey, keyHash, scope));
  return new PostgrestClient<Database>(`${config.supabaseUrl}/rest/v1`, {
    headers: { apikey: config.publishableKey },
    async fetch(input, init) {
      const headers = new Headers(init?.headers);
      headers.set("Authorization", `Bearer ${await token()}`);
      return await fetchOnce(input, { ...init, headers });
    },
    timeout: config.databaseTimeoutMs,
    // A request costs one round trip; what the caller may retry is the caller's to retry.
    retry: false,
  });
}

/** Many more keys than one instance serves at a time; who tries keys out must not fill the memory. */
export const MAX_KEYS = 500;

/**
 * Answers as `companyDb` does, and the same client for the same key and scope: making one, and signing its
 * token, costs more than all else that the function does for a request.
 */
export function companyDbs(config: Config): (keyHash: string, scope: Scope) => CompanyDb {
  const clients = new RecentlyUsed<CompanyDb>(MAX_KEYS);
  return (keyHash, scope) =>
    clients.get(`${scope} ${keyHash}`, () => companyDb(config, keyHash, scope));
}

const TOKEN_LIFE_S = 60;
/** The other half of its life is for clocks that differ and requests that wait. */
const REUSE_MS = TOKEN_LIFE_S * 1000 / 2;

async function mintToken(
  { key, alg, kid }: SigningKey,
  keyHash: string | null,
  scope: Scope,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return await new jose.SignJWT({
    role: "api_client",
    ...(keyHash !== null && { key_hash: keyHash }),
    ...(scope && { scope }),
  })
    .setProtectedHeader({ alg, typ: "JWT", ...(kid && { kid }) })
    .setIssuedAt(now)
    .setExpirationTime(now + TOKEN_LIFE_S)
    .sign(key);
}

/** A token is a name for the key, which is judged by the database each time: minting it anew proves nothing more. */
function reused(mint: () => Promise<string>): () => Promise<string> {
  let token: Promise<string> | undefined;
  let mintedAt = 0;
  return () => {
    const now = Date.now();
    // A clock that was set back must not keep a token for longer than it is good.
    if (!token || now < mintedAt || now >= mintedAt + REUSE_MS) [token, mintedAt] = [mint(), now];
    return token;
  };
}

/** An error of the database that no rule foresaw. Its words are for the log, never for a caller. */
export class DatabaseError extends Error {
  override name = "DatabaseError";
  constructor(readonly status: number, readonly error: PostgrestError) {
    super(`${error.code || status}: ${error.message}`);
  }

  /**
   * Nobody answered in time, or a gateway, the pool or Postgres said that there is no connection now
   * (its own 503 and 504, a proxy's 502, 52x and 544; that it is shutting down or starting up). It passes
   * without anybody mending a defect.
   */
  get isUnavailable(): boolean {
    const { status, error } = this;
    if (/^57P0[123]$/.test(error.code)) return true;
    return status === 0 || (status >= 502 && status <= 504) || (status >= 520 && status <= 524) ||
      status === 544;
  }

  /**
   * Whether what failed may have been done all the same: there was no answer, or one that tells of a lost
   * connection. Any other error of Postgres (with an SQLSTATE) or PostgREST (PGRST…) comes of nothing done.
   */
  get mayBeCommitted(): boolean {
    const { code } = this.error;
    const isDecided = /^(PGRST\d+|(?=.*\d)[0-9A-Z]{5})$/.test(code ?? "");
    return !isDecided || /^(08|57P0[12]|40003|PGRST00[01])/.test(code);
  }
}

/** Whether an error says that a row broke this unique, foreign-key or check constraint or unique index. */
export function violates(error: unknown, constraint: string): boolean {
  // A proxy's answer has no code.
  return error instanceof DatabaseError && !!error.error.code?.startsWith("23") &&
    error.error.message.includes(`"${constraint}"`);
}

/**
 * The rows of an answer.
 * @throws ApiError when the database refused the key or its scope; DatabaseError for anything else,
 *   which a route may recognise with `violates`.
 */
export function rows<Row>(answer: PostgrestSingleResponse<Row>): Row {
  if (answer.error === null) return answer.data;
  const { code, message } = answer.error;
  // Raised by app.company_id(); these two messages are written for the caller.
  if (code === "PT401") throw invalidApiKey();
  if (code === "PT403") throw new ApiError("insufficient_scope", message);
  throw new DatabaseError(answer.status, answer.error);
}
