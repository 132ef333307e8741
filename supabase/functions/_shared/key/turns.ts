import type { Config } from "../config.ts";
import type { Turn } from "../database/company_db.ts";
import { FairShare } from "../fair_share.ts";
import { waitAtMost } from "../wait_at_most.ts";
import { forget, holderOf, whatIsKnownOf } from "./known_keys.ts";

/** How many large pages one instance holds at a time: each takes some megabytes until it is answered. */
const LARGE_AT_ONCE = 3;
/** More companies than one instance answers at a time. */
const MANY = 1_000;

/** Whose turn it is at the database, so that no company and no stranger keeps it from the others. */
export class Turns {
  readonly #statements: FairShare;
  readonly #strangers: FairShare;
  readonly #largeOfCompany: FairShare;
  readonly #largeOfAll: FairShare;
  readonly #placeMs: number;

  constructor({ statementShare, strangerShare }: Config) {
    this.#statements = new FairShare(statementShare);
    this.#strangers = new FairShare(strangerShare);
    this.#placeMs = strangerShare.placeMs;
    this.#largeOfCompany = new FairShare({ ...statementShare, atOnce: 1 });
    this.#largeOfAll = new FairShare({
      ...statementShare,
      atOnce: LARGE_AT_ONCE,
      waiting: MANY,
    });
  }

  /** The turns of the statements with this key, in the share of its company. */
  ofKey(keyHash: string): Turn {
    return async (statement, options) => {
      const inTurn = () =>
        whatIsKnownOf(keyHash).companyId ? statement() : this.#amongStrangers(statement);
      const answer = await this.#statements.run(holderOf(keyHash), inTurn, options);
      if (answer.status === 401) forget(keyHash);
      return answer;
    };
  }

  /**
   * Does work that takes much memory, for one company one after the other.
   * @throws ApiError too_many_requests when too much of it waits.
   */
  async large<Result>(holder: string, work: () => Promise<Result>): Promise<Result> {
    return await this.#largeOfCompany.run(holder, () => this.#largeOfAll.run("", work));
  }

  /**
   * Makes a statement with a key that is not known to be valid. Whoever tries keys, one or many, takes little of
   * the database from the companies that are known. The place is given back before the statement ends when that
   * takes long: a valid key may wait in the database, and must not stop other new keys.
   */
  async #amongStrangers(statement: () => Promise<Response>): Promise<Response> {
    const { promise: answer, resolve, reject } = Promise.withResolvers<Response>();
    await this.#strangers.run("", () => {
      statement().then(resolve, reject);
      return waitAtMost(this.#placeMs, answer);
    });
    return await answer;
  }
}
