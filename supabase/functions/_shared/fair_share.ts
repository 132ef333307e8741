import { tooManyRequests } from "./errors.ts";

/** What one holder may have under way at once in one instance of a function. */
export interface Share {
  atOnce: number;
  /** How many more wait in order. */
  waiting: number;
  /** How long each of them waits, in milliseconds. */
  patienceMs: number;
}

/** What one holder has under way, and what waits for it. */
interface Line {
  underWay: number;
  waiting: Waiter[];
}

interface Waiter {
  isUrgent: boolean;
  begin(): void;
}

/**
 * Divides what all companies use together: each holder has the same share at once, and what goes beyond the
 * share waits in order. So a holder that asks for much waits for itself, and never for another.
 */
export class FairShare {
  readonly #lines = new Map<string, Line>();

  constructor(readonly share: Share) {}

  /**
   * Does the work when it is its holder's turn.
   *
   * @param isUrgent for work that must not be lost: it is next in the line, however long the line is, and
   *   waits for as long as that takes.
   * @throws ApiError too_many_requests when the line is full, or when the turn does not come in time.
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
      if (next) next.begin(); // in the place of this one
      else if (--line.underWay === 0) this.#lines.delete(holder);
    }
  }

  async #turn({ waiting }: Line, isUrgent: boolean): Promise<void> {
    if (!isUrgent && waiting.length >= this.share.waiting) throw tooManyRequests();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { isUrgent, begin: resolve };
    const behind = waiting.findIndex((other) => !other.isUrgent);
    waiting.splice(isUrgent && behind >= 0 ? behind : waiting.length, 0, waiter);
    const timer = isUrgent ? undefined : setTimeout(() => {
      waiting.splice(waiting.indexOf(waiter), 1);
      reject(tooManyRequests());
    }, this.share.patienceMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
