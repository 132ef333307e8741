import { type ApiError, tooManyRequests } from "./errors.ts";

/**
 * How much work one holder, such as a company, may have in progress at the same time, in one
 * instance of a function.
 */
export interface Share {
  atOnce: number;
  /** How many more requests may wait in the queue. */
  waiting: number;
  /** How long a request waits in the queue at most, in milliseconds. */
  patienceMs: number;
}

/** The work of one holder: what is in progress, and what is waiting. */
interface Line {
  underWay: number;
  waiting: Waiter[];
}

interface Waiter {
  isUrgent: boolean;
  begin(): void;
}

/**
 * Divides a resource that all companies use. All holders have equal shares. When a holder's share
 * is used up, more work of this holder waits in a queue. A busy holder therefore waits only for its
 * own work, and never delays another holder.
 */
export class FairShare {
  readonly #lines = new Map<string, Line>();

  /** @param refusal the error for work that the queue refuses. */
  constructor(readonly share: Share, readonly refusal: () => ApiError = tooManyRequests) {}

  /**
   * Does the work when its holder's share allows it.
   *
   * @param isUrgent whether the work must not be lost. Urgent work is placed at the front of the
   * queue, even if the queue is full, and waits without a limit.
   * @throws ApiError too_many_requests when the queue is full, or when the work waits too long.
   */
  async run<Result>(
    holder: string,
    work: () => Promise<Result>,
    { isUrgent = false } = {},
  ): Promise<Result> {
    let line = this.#lines.get(holder);
    if (!line) this.#lines.set(holder, line = { underWay: 0, waiting: [] });
    if (line.underWay < this.share.atOnce) line.underWay++;
    else await this.#turn(line, isUrgent);
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      if (next) next.begin(); // the next work in the queue takes the free place
      else if (--line.underWay === 0) this.#lines.delete(holder);
    }
  }

  async #turn({ waiting }: Line, isUrgent: boolean): Promise<void> {
    if (!isUrgent && waiting.length >= this.share.waiting) throw this.refusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { isUrgent, begin: resolve };
    const behind = waiting.findIndex((other) => !other.isUrgent);
    waiting.splice(isUrgent && behind >= 0 ? behind : waiting.length, 0, waiter);
    const timer = isUrgent ? undefined : setTimeout(() => {
      waiting.splice(waiting.indexOf(waiter), 1);
      reject(this.refusal());
    }, this.share.patienceMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
