/** An answer, or a state afterwards, that breaks a promise. */
export interface Finding {
  /** The promise that is broken, in a sentence. */
  promise: string;
  /** What happened. */
  found: string;
  /** What is needed to see it again: the request, and where it matters what came before. */
  request: string;
  /** How often it happened in this run. */
  times: number;
}

/** What a part of the attack has come to. */
export interface PartResult {
  part: string;
  /** Requests, or for a kill and a fault whatever one attempt is. */
  attempts: number;
  findings: Finding[];
  /** What was measured; nothing of it is a finding. */
  figures: Figures[];
}

/** What was measured, for each checkout in turn; NaN where the system does not tell. */
export interface Row {
  name: string;
  values: number[];
}

/** A table of what was measured, with a column for each checkout. */
export interface Figures {
  title: string;
  rows: Row[];
}

/** Collects the findings of a part. The same fault is one finding, however often it happens. */
export class Findings {
  #found = new Map<string, Finding>();
  attempts = 0;
  readonly figures: Figures[] = [];

  constructor(readonly part: string) {}

  /** @param kind tells one fault from another; without it, what was found does. */
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
