/** A request with a known key that was answered. */
export interface AnsweredRequest {
  keyHash: string;
  status: number;
  /** The error of the answer; null for a success. */
  error: Omit<ErrorOfKey, "key_hash" | "at" | "status"> | null;
}

/** How many requests with one key got one status on one day (in UTC). */
export interface CountOfKey {
  key_hash: string;
  day: string;
  status: number;
  requests: number;
}

/**
 * The error in the answer to a request with a key. It contains nothing that the caller sent, except
 * the method.
 */
export interface ErrorOfKey {
  key_hash: string;
  at: string;
  status: number;
  code: string;
  method: string;
  /** Null when no operation has the path and the method. */
  operation: string | null;
  request_id: string;
}

/** The counts that are stored together. */
export interface Usage {
  usage: CountOfKey[];
  errors: ErrorOfKey[];
}

/** The maximum number of errors that are kept for a key. The database keeps the same number. */
const MAX_ERRORS_OF_KEY = 50;
/** The caller chooses the method, so its length is limited. */
const MAX_METHOD_LENGTH = 16;
const DAY_MS = 24 * 60 * 60_000;

/**
 * The counts of an instance that are not stored yet. Their number is limited, because the database
 * may be down for a long time. Beyond the limit, a key with a new status is not counted, and only
 * the newest errors of a key are kept.
 */
export class UsageCounts {
  readonly #counts = new Map<string, CountOfKey>();
  readonly #errors = new Map<string, ErrorOfKey[]>();
  #errorCount = 0;

  constructor(readonly bounds = { counts: 5_000, errors: 1_000 }) {}

  get isEmpty(): boolean {
    return this.#counts.size === 0 && this.#errors.size === 0;
  }

  add({ keyHash: key_hash, status, error }: AnsweredRequest, now = Date.now()) {
    const place = `${status} ${Math.floor(now / DAY_MS)} ${key_hash}`;
    const count = this.#counts.get(place);
    if (count) count.requests++;
    else if (this.#counts.size < this.bounds.counts) {
      const day = new Date(now).toISOString().slice(0, 10);
      this.#counts.set(place, { key_hash, day, status, requests: 1 });
    }
    if (!error) return;
    const method = error.method.slice(0, MAX_METHOD_LENGTH);
    const at = new Date(now).toISOString();
    this.#addError({ key_hash, at, status, ...error, method });
  }

  #addError(error: ErrorOfKey) {
    const ofKey = this.#errors.get(error.key_hash) ?? [];
    if (ofKey.length >= MAX_ERRORS_OF_KEY || this.#errorCount >= this.bounds.errors) {
      // Only errors of this key are dropped, so that no key displaces the errors of another.
      if (!ofKey.shift()) return;
      this.#errorCount--;
    }
    ofKey.push(error);
    this.#errorCount++;
    this.#errors.set(error.key_hash, ofKey);
  }

  /** Takes all counts. Counting starts again from zero. */
  take(): Usage {
    const taken = { usage: [...this.#counts.values()], errors: [...this.#errors.values()].flat() };
    this.#counts.clear();
    this.#errors.clear();
    this.#errorCount = 0;
    return taken;
  }

  /** Puts back counts that were taken but could not be stored. */
  putBack({ usage, errors }: Usage) {
    const meanwhile = this.take();
    for (const told of [...usage, ...meanwhile.usage]) {
      const place = `${told.status} ${Date.parse(told.day) / DAY_MS} ${told.key_hash}`;
      const count = this.#counts.get(place);
      if (count) count.requests += told.requests;
      else if (this.#counts.size < this.bounds.counts) this.#counts.set(place, told);
    }
    for (const error of [...errors, ...meanwhile.errors]) this.#addError(error);
  }
}
