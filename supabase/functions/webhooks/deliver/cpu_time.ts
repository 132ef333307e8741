// The estimated CPU time of one statement, one delivery, one DNS lookup, and 1,000 characters of a
// record, in milliseconds. The platform has no call that returns the CPU time used.
const CPU_MS = { statement: 2, delivery: 0.35, host: 1.2, thousand: 0.02 };

/** Estimates the CPU time that a run has used, from the work that the run has done. */
export class CpuTime {
  statements = 0;
  /** The deliveries that were sent or are in flight. */
  deliveries = 0;
  /** The total length of the records that were read. */
  readCharacters = 0;

  /**
   * The estimated CPU time in milliseconds.
   *
   * @param lookUps how many host names were looked up.
   */
  estimatedMs(lookUps: number): number {
    return this.deliveries * CPU_MS.delivery + this.statements * CPU_MS.statement +
      lookUps * CPU_MS.host + this.readCharacters / 1000 * CPU_MS.thousand;
  }
}

/**
 * Estimates the CPU time that an instance has used, for all its runs together. The platform counts
 * the CPU time of an instance over all its requests.
 */
export class InstanceCpu {
  readonly #runs = new Set<() => number>();
  /** The CPU time of the start and of the runs that have ended. */
  #restMs: number;

  /**
   * @param softMs above this CPU time, the platform gives an instance no new request. At twice this
   * time, the platform kills the instance.
   */
  constructor(readonly softMs: number) {
    this.#restMs = 0.15 * softMs;
  }

  /**
   * Adds a run. Returns a function that the run calls when it has ended.
   * @param estimatedMs returns the CPU time that the run has used.
   */
  begin(estimatedMs: () => number): () => void {
    // The platform gave this instance a new request, so the instance has used less than `softMs`.
    // A platform without these limits may keep an instance for ever.
    this.#restMs -= Math.max(0, this.#usedMs - this.softMs);
    this.#runs.add(estimatedMs);
    return () => {
      this.#runs.delete(estimatedMs);
      this.#restMs += estimatedMs();
    };
  }

  /** Whether the runs of this instance must begin nothing new, so that the platform kills none. */
  get isSpent(): boolean {
    return this.#usedMs > 1.7 * this.softMs;
  }

  get #usedMs(): number {
    return [...this.#runs].reduce((sum, estimatedMs) => sum + estimatedMs(), this.#restMs);
  }
}
