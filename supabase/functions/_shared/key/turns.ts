import type { Config } from "../config.ts";
import type { Turn } from "../database/company_db.ts";
import { tooManyOfAll } from "../errors.ts";
import { FairShare } from "../fair_share.ts";
import { waitAtMost } from "../wait_at_most.ts";
import { forget, holderOf, whatIsKnownOf } from "./known_keys.ts";

/**
 * How many large pages and batches one instance may have in memory at a time. Each of them takes
 * some megabytes of memory until its response is sent.
 */
const LARGE_AT_ONCE = 3;
/** How many more of them may wait for one company. A waiting batch takes 1 MiB of memory. */
const LARGE_WAITING = 8;
/**
 * How many bodies of more than 64 KiB may be arriving for one company, and for all companies. Each
 * of them takes up to 1 MiB of memory, and may arrive slowly.
 */
const ARRIVING_AT_ONCE = 16;
const ARRIVING_OF_ALL = 64;
/** One instance never serves more companies than this at the same time. */
const MANY = 1_000;

/**
 * Decides whose statement runs next, so that no company and no unknown key blocks the others.
 */
export class Turns {
  readonly #statements: FairShare;
  readonly #strangers: FairShare;
  readonly #largeOfCompany: FairShare;
  readonly #largeOfAll: FairShare;
  readonly #arrivingOfCompany: FairShare;
  readonly #arrivingOfAll: FairShare;
  readonly #placeMs: number;

  constructor({ statementShare, strangerShare }: Config) {
    this.#statements = new FairShare(statementShare);
    this.#strangers = new FairShare(strangerShare);
    this.#placeMs = strangerShare.placeMs;
    this.#largeOfCompany = new FairShare({
      ...statementShare,
      atOnce: 1,
      waiting: LARGE_WAITING,
    });
    this.#largeOfAll = new FairShare({
      ...statementShare,
      atOnce: LARGE_AT_ONCE,
      waiting: MANY,
    }, tooManyOfAll);
    this.#arrivingOfCompany = new FairShare({
      ...statementShare,
      atOnce: ARRIVING_AT_ONCE,
      waiting: 0,
    });
    // A body that waits is not read yet, so it takes no memory.
    this.#arrivingOfAll = new FairShare({
      ...statementShare,
      atOnce: ARRIVING_OF_ALL,
      waiting: MANY,
    }, tooManyOfAll);
  }

  /**
   * The queue for statements with this key. These statements count towards the share of the key's
   * company.
   */
  ofKey(keyHash: string): Turn {
    return async (statement, options) => {
      const inTurn = () =>
        whatIsKnownOf(keyHash).companyId ? statement() : this.#amongStrangers(statement, options);
      const answer = await this.#statements.run(holderOf(keyHash), inTurn, options);
      if (answer.status === 401) forget(keyHash);
      return answer;
    };
  }

  /**
   * Does work that needs much memory, one task at a time for each company.
   *
   * @throws ApiError too_many_requests when too many of these tasks are waiting.
   */
  async large<Result>(holder: string, work: () => Promise<Result>): Promise<Result> {
    return await this.#largeOfCompany.run(holder, () => this.#largeOfAll.run("", work));
  }

  /**
   * Receives a large body.
   *
   * @throws ApiError too_many_requests when too many of them are arriving.
   */
  async arriving(holder: string, work: () => Promise<void>): Promise<void> {
    await this.#arrivingOfCompany.run(holder, () => this.#arrivingOfAll.run("", work));
  }

  /**
   * Runs a statement with a key that no response has confirmed yet. All these keys share a small
   * part of the database's capacity, and known companies share the rest. After `placeMs`, a
   * statement no longer counts against this part, even if it is still running. So a slow statement
   * with a valid key does not block other new keys.
   */
  async #amongStrangers(...[statement, options]: Parameters<Turn>): Promise<Response> {
    const { promise: answer, resolve, reject } = Promise.withResolvers<Response>();
    await this.#strangers.run("", () => {
      statement().then(resolve, reject);
      return waitAtMost(this.#placeMs, answer);
    }, options);
    return await answer;
  }
}
