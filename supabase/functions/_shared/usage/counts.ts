/** A request with a known key that was answered. */
export interface AnsweredRequest {
  keyHash: string;
  status: number;
  /** Null for a success. */
  error: Omit<ErrorOfKey, "key_hash" | "at" | "status"> | null;
}

/** How many requests with a key were answered on a day (of UTC) with a status. */
export interface CountOfKey {
  key_hash: string;
  day: string;
  status: number;
  requests: number;
}

/** An error that a request with a key was answered. It has nothing that the request asked for. */
export interface ErrorOfKey {
  key_hash: string;
  at: string;
  status: number;
  code: string;
  method: string;
  /** Null where no operation has the path and the method. */
  operation: string | null;
  request_id: string;
}

/** What is told at once. */
export interface Usage {
  usage: CountOfKey[];
  errors: ErrorOfKey[];
}

/** So many as the database keeps of a key. */
const MAX_ERRORS_OF_KEY = 50;
/** A method is the caller's own word. */
const MAX_METHOD_LENGTH = 16;
const DAY_MS = 24 * 60 * 60_000;

/**
 * What an instance has counted and not told yet. It is bounded, because the database may be away for long: a key with a
 * status that is one too many is not counted, and of errors the newest of a key stay.
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
      // Of this key, so that no key pushes out the errors of another.
      if (!ofKey.shift()) return;
      this.#errorCount--;
    }
    ofKey.push(error);
    this.#errorCount++;
    this.#errors.set(error.key_hash, ofKey);
  }

  /** Everything that was counted. The counting begins anew. */
  take(): Usage {
    const taken = { usage: [...this.#counts.values()], errors: [...this.#errors.values()].flat() };
    this.#counts.clear();
    this.#errors.clear();
    this.#errorCount = 0;
    return taken;
  }

  /** Adds what was taken, and could not be told, to what was counted meanwhile. */
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
