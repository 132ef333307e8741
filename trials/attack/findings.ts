/** A response or a state of the data that breaks a promise. */
export interface Finding {
  /** The promise that is broken, in a sentence. */
  promise: string;
  /** What happened. */
  found: string;
  /** The request that reproduces the finding, and earlier requests if they matter. */
  request: string;
  /** The number of times that the fault happened in this run. */
  times: number;
}

/** The result of one part of the attack. */
export interface PartResult {
  part: string;
  /** The number of attempts: requests, kills or faults, depending on the part. */
  attempts: number;
  findings: Finding[];
  /** Measurements, which are never findings. */
  figures: Figures[];
}

/** A measurement with one value for each checkout; NaN when the system does not provide it. */
export interface Row {
  name: string;
  values: number[];
}

/** A table of measurements, with a column for each checkout. */
export interface Figures {
  title: string;
  rows: Row[];
}

/** Collects the findings of a part. A fault that happens several times is one finding. */
export class Findings {
  #found = new Map<string, Finding>();
  attempts = 0;
  readonly figures: Figures[] = [];

  constructor(readonly part: string) {}

  /** @param kind identifies the fault. By default, the text of the finding identifies the fault. */
  add(promise: string, found: string, request: string, kind = found) {
    const key = `${promise}\n${kind}`;
    const earlier = this.#found.get(key);
    if (earlier) earlier.times++;
    else this.#found.set(key, { promise, found, request, times: 1 });
  }

  get result(): PartResult {
    const { part, attempts, figures } = this;
    return { part, attempts, findings: [...this.#found.values()], figures };
  }
}
