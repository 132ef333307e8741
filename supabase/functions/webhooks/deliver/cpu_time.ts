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
