import { keepRunning } from "../background.ts";
import type { Config } from "../config.ts";
import { type CompanyDb, companyDb } from "../database/company_db.ts";
import { RecentlyUsed } from "../database/recently_used.ts";
import { rows } from "../database/rows.ts";
import { ApiError } from "../errors.ts";
import { logFailure, type Origin } from "../log.ts";
import { hashKey, presentedKey } from "./presented_key.ts";
import { type Scope, tokenSource } from "./token.ts";

/**
 * The holder of an API key, during one request. The database judges the key within the statements of the
 * request itself, so a good request costs one round trip and a key that is switched off is refused at once.
 */
export class Caller {
  #isJudged = false;

  /** @param db the database, limited to the company of the key. */
  constructor(readonly db: CompanyDb, readonly keyHash: string) {}

  /**
   * Judges the key by itself; the database also notes that the key is in use. Needed before every answer
   * that shows no row, because row-level policies are only asked about rows. Once a request is enough.
   *
   * @throws ApiError invalid_api_key or insufficient_scope; DatabaseError.
   */
  async judge(): Promise<void> {
    if (this.#isJudged) return;
    rows(await this.db.rpc("authenticate"));
    this.wasJudged();
  }

  /** Says that a statement of the request has done what `judge` does. */
  wasJudged() {
    this.#isJudged = true;
    if (notedAt.size >= MAX_NOTED) notedAt.clear();
    notedAt.set(this.keyHash, Date.now());
  }

  /**
   * Notes after a good answer that the key is in use, unless this instance has done so lately. Reads run in
   * read-only transactions, so this takes a statement of its own; the caller does not wait for it.
   */
  noteUse(origin: Origin) {
    if (Date.now() - (notedAt.get(this.keyHash) ?? -Infinity) < NOTE_EVERY_MS) return;
    notedAt.set(this.keyHash, Date.now());
    const noting = this.judge().catch((error) => {
      notedAt.delete(this.keyHash);
      // A key that is switched off just after its answer is not in use; nothing has failed.
      if (!(error instanceof ApiError)) logFailure(origin, "note_use", error);
    });
    keepRunning(noting);
  }
}

/** authenticate() in the database writes a key's last_used_at no more often than this. */
const NOTE_EVERY_MS = 5 * 60_000;
const MAX_NOTED = 10_000;
const notedAt = new Map<string, number>();

/** Many more keys than one instance serves at a time; a caller who tries keys must not fill the memory. */
const MAX_KEYS = 500;

/**
 * Reads the key of a request and opens the database with it, without asking the database anything. The
 * client of a key and scope is kept: making one and signing its token costs more than all else that a
 * function does for a request.
 *
 * The answered function throws ApiError missing_api_key or invalid_api_key when there is nothing to judge.
 */
export function callers(
  config: Config,
): (headers: Headers, scope: Scope | null) => Promise<Caller> {
  const dbs = new RecentlyUsed<CompanyDb>(MAX_KEYS);
  return async (headers, scope) => {
    const keyHash = await hashKey(presentedKey(headers));
    const db = dbs.get(
      `${scope} ${keyHash}`,
      () => companyDb(config, tokenSource(config.signingKey, keyHash, scope)),
    );
    return new Caller(db, keyHash);
  };
}
