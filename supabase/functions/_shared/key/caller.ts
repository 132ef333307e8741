import { keepRunning } from "../background.ts";
import type { Config } from "../config.ts";
import { type CompanyDb, companyDb, type SharedDb } from "../database/company_db.ts";
import { RecentlyUsed } from "../database/recently_used.ts";
import { rows } from "../database/rows.ts";
import { ApiError } from "../errors.ts";
import { logFrequentFailure, type Origin } from "../log.ts";
import { holderOf, remember, whatIsKnownOf } from "./known_keys.ts";
import { hashKey, presentedKey } from "./presented_key.ts";
import { type Role, type Scope, tokenSource } from "./token.ts";
import { Turns } from "./turns.ts";

/**
 * The holder of an API key during one request. The database checks the key within the statements of
 * the request. So a successful request costs one round trip, and a key that is switched off is
 * refused immediately.
 */
export class Caller {
  #isJudged = false;

  readonly #turns: Turns;

  readonly #dbAs: (role: Role) => CompanyDb;

  /** @param dbAs returns the database as a role sees it, limited to the company of the key. */
  constructor(dbAs: (role: Role) => CompanyDb, readonly keyHash: string, turns: Turns) {
    this.#dbAs = dbAs;
    this.#turns = turns;
  }

  /** The database client for writes and for database function calls. */
  get db(): CompanyDb {
    return this.#dbAs("api_client");
  }

  /** The database client for reads, which uses the views of the company's own rows. */
  get reader(): CompanyDb {
    return this.#dbAs("api_reader");
  }

  /**
   * Whose share this request uses in `FairShare`: the company's id, or the key's hash until the
   * company is known.
   */
  get holder(): string {
    return holderOf(this.keyHash);
  }

  /** The key's company; undefined until this instance has learned it from the database. */
  get companyId(): string | undefined {
    return whatIsKnownOf(this.keyHash).companyId;
  }

  /** Whether this instance recently learned from the database that the key is valid. */
  get isKnown(): boolean {
    return this.companyId !== undefined;
  }

  /**
   * Does work that needs much memory, when this company's share allows it. An unknown key is checked
   * first, so that callers without a valid key use no part of the shares of companies.
   *
   * @throws ApiError too_many_requests when too many of these tasks are waiting; the errors of
   *   `judge`.
   */
  async inTurn<Result>(largeWork: () => Promise<Result>): Promise<Result> {
    await this.judgeUnlessKnown();
    return await this.#turns.large(this.holder, largeWork);
  }

  /**
   * Waits until this company's share allows work that needs much memory. The work counts against
   * the share until `end` resolves.
   *
   * @throws the errors of `inTurn`.
   */
  async turnUntil(end: Promise<void>): Promise<void> {
    await began((work) => this.inTurn(work), end);
  }

  /**
   * Refuses a large body when too many large bodies of this company are arriving. The body counts
   * as arriving until `end` resolves. The caller has checked the key.
   *
   * @throws ApiError too_many_requests.
   */
  async arrivesUntil(end: Promise<void>): Promise<void> {
    await began((work) => this.#turns.arriving(this.holder, work), end);
  }

  /**
   * Checks the key in a separate statement, which also records that the key is in use. The policies
   * in the database check the key too, but Postgres evaluates a policy only for rows. So a response
   * without a row needs this separate check. A request makes the check at most once.
   *
   * @throws ApiError invalid_api_key or insufficient_scope; DatabaseError.
   */
  async judge(): Promise<void> {
    if (this.#isJudged) return;
    this.wasJudged(rows(await this.db.rpc("authenticate")));
  }

  /**
   * Checks the key before expensive work. Does nothing if this instance recently learned that the
   * key is valid, because the request's own statement checks the key anyway.
   *
   * @throws the errors of `judge`.
   */
  async judgeUnlessKnown(): Promise<void> {
    if (!this.isKnown) await this.judge();
  }

  /**
   * Records that another statement of the request has checked the key as `judge` does.
   * @param companyId the key's company.
   */
  wasJudged(companyId: string) {
    this.#isJudged = true;
    remember(this.keyHash, { companyId, notedAt: Date.now() });
  }

  /**
   * After a success, records that the key is in use, unless this instance has done so recently.
   * Recording needs a separate statement, because reads run in read-only transactions. The caller
   * does not wait for this statement.
   */
  noteUse(origin: Origin) {
    const { companyId, notedAt = -Infinity } = whatIsKnownOf(this.keyHash);
    if (Date.now() - notedAt < NOTE_EVERY_MS) return;
    remember(this.keyHash, { companyId, notedAt: Date.now() });
    const noting = this.judge().catch((error) => {
      remember(this.keyHash, { companyId });
      // An `ApiError` means that the key was switched off just after the response, or that its
      // company has many requests in progress. Both cases are normal, so they are not logged.
      if (!(error instanceof ApiError)) logFrequentFailure(origin, "note_use", error);
    });
    keepRunning(noting);
  }
}

/** Resolves when `run` begins its work. The work lasts until `end` resolves. */
async function began(
  run: (work: () => Promise<void>) => Promise<void>,
  end: Promise<void>,
): Promise<void> {
  const { promise: begin, resolve, reject } = Promise.withResolvers<void>();
  run(() => (resolve(), end)).catch(reject);
  await begin;
}

/** The database updates a key's last_used_at at the same interval; see `authenticate()`. */
const NOTE_EVERY_MS = 5 * 60_000;

/**
 * The maximum number of database clients that are kept. A caller who tries many keys must not fill
 * the memory.
 */
const MAX_CLIENTS = 1_000;

/**
 * Returns a function that reads a request's key and returns the caller, without a round trip to the
 * database. The returned function caches the hash of each key, and the key's database client for
 * each scope and role. Hashing a key, creating a client and signing its token are the most
 * expensive work of a request. The returned function throws ApiError missing_api_key or
 * invalid_api_key when the request has no value in the format of a key.
 */
export function callers(
  config: Config,
): (headers: Headers, scope: Scope | null, requestId: string) => Promise<Caller> {
  const dbs = new RecentlyUsed<SharedDb>(MAX_CLIENTS);
  const hashes = new RecentlyUsed<Promise<string>>(MAX_CLIENTS);
  const turns = new Turns(config);
  return async (headers, scope, requestId) => {
    const key = presentedKey(headers);
    const keyHash = await hashes.get(key, () => hashKey(key));
    const dbAs = (role: Role) =>
      dbs.get(`${role} ${scope} ${keyHash}`, () => {
        const token = tokenSource(config.signingKey, keyHash, scope, role);
        return companyDb(config, token, turns.ofKey(keyHash));
      }).forRequest(requestId);
    return new Caller(dbAs, keyHash, turns);
  };
}
