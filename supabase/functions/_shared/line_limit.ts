// The hosted platform keeps at most 100 log lines in ten seconds. So a line that is written very
// often must not displace other lines.
const PER_MS = 10_000;

/** Limits the log lines of one kind to `maxLines` in ten seconds. */
export class LineLimit {
  /** When this instance wrote the last lines, the oldest first. */
  readonly #writtenAt: number[] = [];
  #leftOut = 0;

  constructor(readonly maxLines: number) {}

  /**
   * Facts for the next line: the number of lines that were `left_out` before it. Null means that
   * the next line must be left out too.
   */
  take(): { left_out?: number } | null {
    const now = Date.now();
    const [oldest] = this.#writtenAt;
    // If the clock was set back, the line is written: the log must not stop.
    if (this.#writtenAt.length >= this.maxLines && now >= oldest && now < oldest + PER_MS) {
      this.#leftOut++;
      return null;
    }
    this.#writtenAt.push(now);
    if (this.#writtenAt.length > this.maxLines) this.#writtenAt.shift();
    const facts = this.#leftOut > 0 ? { left_out: this.#leftOut } : {};
    this.#leftOut = 0;
    return facts;
  }
}

const limits = new Map<string, LineLimit>();

/**
 * Takes a line of a kind that may have at most 10 lines in ten seconds; see `LineLimit.take`. There
 * must be only a few kinds.
 */
export function takeLine(kind: string): { left_out?: number } | null {
  const limit = limits.get(kind) ?? new LineLimit(10);
  limits.set(kind, limit);
  return limit.take();
}
