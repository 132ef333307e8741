import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { hashKey, presentedKey } from "./api_key.ts";
import { keepRunning } from "../background.ts";
import { type CompanyDb, companyDbs, MAX_KEYS, rows, type Scope } from "../database/company_db.ts";
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { logFailure } from "../log.ts";
import { RecentlyUsed } from "../database/recently_used.ts";

/** What every handler finds on its context. */
export interface ApiEnv {
  Variables: {
    requestId: string;
    keyHash: string;
    /** The database, limited to the company of the key that the request carries. */
    db: CompanyDb;
    /** The database has found the key good for this request, and noted that it is in use. */
    isKeyJudged?: true;
  };
}

/**
 * Reads the key and opens the database with it. The key is judged by the database, within the
 * statements of the request itself, so that a good request costs one round trip and a key that has
 * been switched off is refused at once.
 *
 * @param scopeOf which scope a method needs.
 */
export function authenticate(config: Config, scopeOf: (method: string) => Scope) {
  const dbOf = companyDbs(config);
  const hashes = new RecentlyUsed<Promise<string>>(MAX_KEYS);
  return createMiddleware<ApiEnv>(async (c, next) => {
    const key = presentedKey(c.req.raw.headers);
    const keyHash = await hashes.get(key, () => hashKey(key));
    c.set("keyHash", keyHash);
    c.set("db", dbOf(keyHash, scopeOf(c.req.method)));
    await next();
    if (c.res.ok) noteUse(c);
  });
}

/**
 * Judges the key by itself, which also notes in the database that it is in use. Needed before every
 * answer that shows no row: row-level policies are only asked about rows. Once in a request is enough.
 *
 * @throws ApiError invalid_api_key or insufficient_scope.
 */
export async function judgeKey(c: Context<ApiEnv>): Promise<void> {
  if (c.var.isKeyJudged) return;
  rows(await c.var.db.rpc("authenticate"));
  keyIsJudged(c);
}

/** Says that a statement of the request has done what `judgeKey` does. */
export function keyIsJudged(c: Context<ApiEnv>) {
  c.set("isKeyJudged", true);
  if (notedAt.size >= 10_000) notedAt.clear();
  notedAt.set(c.var.keyHash, Date.now());
}

/** The database writes a key's last_used_at as seldom; see authenticate() there. */
const NOTE_EVERY_MS = 5 * 60_000;
const notedAt = new Map<string, number>();

/**
 * Reads run in read-only transactions, so that a key is in use must be noted apart from them: after
 * the answer, and only when this instance has not noted it for a while.
 */
function noteUse(c: Context<ApiEnv>) {
  if (Date.now() - (notedAt.get(c.var.keyHash) ?? -Infinity) < NOTE_EVERY_MS) return;
  notedAt.set(c.var.keyHash, Date.now());
  const noting = judgeKey(c).catch((error) => {
    notedAt.delete(c.var.keyHash);
    // Switched off just after its answer, a key is not in use, and nothing has failed.
    if (!(error instanceof ApiError)) logFailure(c, "note_use", error);
  });
  keepRunning(noting);
}
