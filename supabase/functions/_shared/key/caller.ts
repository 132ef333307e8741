import { keepRunning } from "../background.ts";
import type { Config } from "../config.ts";
import { type CompanyDb, companyDb, type Turn } from "../database/company_db.ts";
import { RecentlyUsed } from "../database/recently_used.ts";
import { rows } from "../database/rows.ts";
import { ApiError } from "../errors.ts";
import { FairShare } from "../fair_share.ts";
import { logFailure, type Origin } from "../log.ts";
import { waitAtMost } from "../wait_at_most.ts";
import { hashKey, presentedKey } from "./presented_key.ts";
import { type Scope, tokenSource } from "./token.ts";

/**
 * The holder of an API key, during one request. The database judges the key within the statements of the
 * request. So a successful request costs one round trip, and a key that is switched off is refused at once.
 */
export class Caller {
  #isJudged = false;

  readonly #large: FairShare;

  /**
   * @param db the database, limited to the company of the key.
   * @param large the share of one company in large work.
   */
  constructor(readonly db: CompanyDb, readonly keyHash: string, large: FairShare) {
    this.#large = large;
  }

  /** By what the work of one company is counted: its id, or the key as long as its company is not known. */
  get holder(): string {
    return holderOf(this.keyHash);
  }

  /**
   * Does large work of the company, one after the other.
   * @throws ApiError too_many_requests when too much of it waits.
   */
  async oneByOne<Result>(work: () => Promise<Result>): Promise<Result> {
    return await this.#large.run(this.holder, () => ALL.run("", work, { isUrgent: true }));
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
    const { companyId, notedAt = -Infinity } = knownKeys.get(this.keyHash) ?? {};
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

/** What this instance knows of keys, by their hashes. */
const knownKeys = new Map<string, { companyId?: string; notedAt?: number }>();
const MAX_KNOWN = 10_000;

function remember(keyHash: string, facts: { companyId?: string; notedAt?: number }) {
  if (knownKeys.size >= MAX_KNOWN) knownKeys.clear();
  knownKeys.set(keyHash, facts);
}

function holderOf(keyHash: string): string {
  return knownKeys.get(keyHash)?.companyId ?? keyHash;
}

/** More keys than one instance serves at a time. A caller who tries many keys must not fill the memory. */
const MAX_KEYS = 500;

/**
 * A function that reads the key of a request and makes its caller, without a round trip to the database. It
 * keeps the database client of each key and scope, because making a client and signing its token is the most
 * expensive work of a request.
 *
 * It throws ApiError missing_api_key or invalid_api_key when the request has nothing in the form of a key.
 */
export function callers(
  config: Config,
): (headers: Headers, scope: Scope | null) => Promise<Caller> {
  const dbs = new RecentlyUsed<CompanyDb>(MAX_KEYS);
  const share = new FairShare(config.statementShare);
  const large = new FairShare({ ...config.statementShare, atOnce: 1 });
  const strangers = new FairShare(config.strangerShare);
  // Whoever tries keys, one or many, takes little of the database from the companies that are known.
  const amongStrangers = async (statement: () => Promise<Response>) => {
    const { promise: answer, resolve, reject } = Promise.withResolvers<Response>();
    await strangers.run("", () => {
      statement().then(resolve, reject);
      return waitAtMost(config.strangerShare.placeMs, answer);
    });
    return await answer;
  };
  const turnOf = (keyHash: string): Turn => async (statement, options) => {
    const inTurn = () =>
      knownKeys.get(keyHash)?.companyId ? statement() : amongStrangers(statement);
    const answer = await share.run(holderOf(keyHash), inTurn, options);
    // Whoever has a key that was switched off must not use up the share of the company.
    if (answer.status === 401) knownKeys.delete(keyHash);
    return answer;
  };
  return async (headers, scope) => {
    const keyHash = await hashKey(presentedKey(headers));
    const db = dbs.get(
      `${scope} ${keyHash}`,
      () => companyDb(config, tokenSource(config.signingKey, keyHash, scope), turnOf(keyHash)),
    );
    return new Caller(db, keyHash, large);
  };
}

const ALL = new FairShare({ atOnce: 3, waiting: 0, patienceMs: 0 });
