import { keepRunning } from "../background.ts";
import type { Config } from "../config.ts";
import { type CompanyDb, companyDb } from "../database/company_db.ts";
import { RecentlyUsed } from "../database/recently_used.ts";
import { rows } from "../database/rows.ts";
import { ApiError } from "../errors.ts";
import { logFailure, type Origin } from "../log.ts";
import { holderOf, remember, whatIsKnownOf } from "./known_keys.ts";
import { hashKey, presentedKey } from "./presented_key.ts";
import { type Role, type Scope, tokenSource } from "./token.ts";
import { Turns } from "./turns.ts";

/**
 * The holder of an API key, during one request. The database judges the key within the statements of the
 * request. So a successful request costs one round trip, and a key that is switched off is refused at once.
 */
export class Caller {
  #isJudged = false;

  readonly #turns: Turns;

  readonly #dbAs: (role: Role) => CompanyDb;

  /** @param dbAs the database as a role sees it, limited to the company of the key. */
  constructor(dbAs: (role: Role) => CompanyDb, readonly keyHash: string, turns: Turns) {
    this.#dbAs = dbAs;
    this.#turns = turns;
  }

  /** The database for writes and calls of functions. */
  get db(): CompanyDb {
    return this.#dbAs("api_client");
  }

  /** The database for reads: the views of the company's own rows. */
  get reader(): CompanyDb {
    return this.#dbAs("api_reader");
  }

  /** By what the work of one company is counted: its id, or the key as long as its company is not known. */
  get holder(): string {
    return holderOf(this.keyHash);
  }

  /** Whether this instance knows from the database that the key was valid lately. */
  get isKnown(): boolean {
    return whatIsKnownOf(this.keyHash).companyId !== undefined;
  }

  /**
   * Does work that takes much memory when it is its turn.
   * @throws ApiError too_many_requests when too much of it waits.
   */
  async inTurn<Result>(largeWork: () => Promise<Result>): Promise<Result> {
    return await this.#turns.large(this.holder, largeWork);
  }

  /**
   * Judges the key in a statement of its own, which also notes that the key is in use. Needed before every
   * answer without a row, because Postgres evaluates a policy only for rows. Done once for a request.
   *
   * @throws ApiError invalid_api_key or insufficient_scope; DatabaseError.
   */
  async judge(): Promise<void> {
    if (this.#isJudged) return;
    this.wasJudged(rows(await this.db.rpc("authenticate")));
  }

  /**
   * Judges the key before work that is expensive, unless this instance knows that it was valid lately: the statement of
   * the request judges it anyway.
   *
   * @throws what `judge` throws.
   */
  async judgeUnlessKnown(): Promise<void> {
    if (!this.isKnown) await this.judge();
  }

  /**
   * Notes that another statement of the request has judged the key, as `judge` does.
   * @param companyId of the key.
   */
  wasJudged(companyId: string) {
    this.#isJudged = true;
    remember(this.keyHash, { companyId, notedAt: Date.now() });
  }

  /**
   * Notes after a success that the key is in use, unless this instance has done so lately. This takes a
   * statement of its own, because reads run in read-only transactions. The caller does not wait for it.
   */
  noteUse(origin: Origin) {
    const { companyId, notedAt = -Infinity } = whatIsKnownOf(this.keyHash);
    if (Date.now() - notedAt < NOTE_EVERY_MS) return;
    remember(this.keyHash, { companyId, notedAt: Date.now() });
    const noting = this.judge().catch((error) => {
      remember(this.keyHash, { companyId });
      // The key was switched off just after its answer, or its company has much under way: no failures.
      if (!(error instanceof ApiError)) logFailure(origin, "note_use", error);
    });
    keepRunning(noting);
  }
}

/** As often as authenticate() in the database writes a key's last_used_at. */
const NOTE_EVERY_MS = 5 * 60_000;

/** More than one instance serves at a time. A caller who tries many keys must not fill the memory. */
const MAX_CLIENTS = 1_000;

/**
 * A function that reads the key of a request and makes its caller, without a round trip to the database. It
 * keeps the database client of each key, scope and role, because making a client and signing its token is the most
 * expensive work of a request.
 *
 * It throws ApiError missing_api_key or invalid_api_key when the request has nothing in the form of a key.
 */
export function callers(
  config: Config,
): (headers: Headers, scope: Scope | null) => Promise<Caller> {
  const dbs = new RecentlyUsed<CompanyDb>(MAX_CLIENTS);
  const turns = new Turns(config);
  return async (headers, scope) => {
    const keyHash = await hashKey(presentedKey(headers));
    const dbAs = (role: Role) =>
      dbs.get(`${role} ${scope} ${keyHash}`, () => {
        const token = tokenSource(config.signingKey, keyHash, scope, role);
        return companyDb(config, token, turns.ofKey(keyHash));
      });
    return new Caller(dbAs, keyHash, turns);
  };
}
