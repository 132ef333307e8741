// The hosted platform keeps 100 lines in ten seconds. What can be many must not push the others out.
const PER_MS = 10_000;

/** Lets so many lines of one kind be written in ten seconds. */
export class LineLimit {
  /** When this instance wrote the last lines, the oldest first. */
  readonly #writtenAt: number[] = [];
  #leftOut = 0;

  constructor(readonly maxLines: number) {}

  /** Facts for a line that may be written: how many were `left_out` before it. Null: it is left out as well. */
  take(): { left_out?: number } | null {
    const now = Date.now();
    const [oldest] = this.#writtenAt;
    // A clock that was set back must not silence the log.
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
