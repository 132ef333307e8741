import type { Problem } from "./problem.ts";

/** A completed request with a known key. */
export interface AnsweredRequest {
  keyHash: string;
  status: number;
  /** The error in the response; null for a success. */
  error: ErrorOfRequest | null;
}

/**
 * The error in the response to a request. Only the method and the request id may come from the
 * caller.
 */
export interface ErrorOfRequest extends Problem {
  code: string;
  method: string;
  /** The operation and its path; null when no operation has the path and the method. */
  operation: string | null;
  path: string | null;
  request_id: string;
}

/** How many responses with the same status one key received in one hour. */
export interface CountOfKey {
  key_hash: string;
  /** When the hour began. */
  hour: string;
  status: number;
  requests: number;
}

/** Equal errors of requests with one key. */
export interface ErrorsOfKey extends Omit<ErrorOfRequest, "request_id"> {
  key_hash: string;
  status: number;
  errors: number;
  first_at: string;
  last_at: string;
  /** The latest requests, the newest first. */
  requests: { id: string; at: string }[];
}

/** The counts that are stored together. */
export interface Usage {
  usage: CountOfKey[];
  errors: ErrorsOfKey[];
}

/** How many kinds of errors are kept for a key. The database keeps the same number. */
const MAX_KINDS_OF_KEY = 50;
/** How many requests are kept for a kind of error. The database keeps the same number. */
const MAX_REQUESTS = 10;
/** The caller chooses the method, so its length is limited. */
const MAX_METHOD_LENGTH = 16;
const HOUR_MS = 60 * 60_000;

/**
 * The counts of an instance that are not stored yet. Their number is limited, because the database
 * may be down for a long time. At the limit, a new combination of key, hour and status is not
 * counted. A new kind of error replaces the key's oldest kind, or is left out if the key has none.
 */
export class UsageCounts {
  readonly #counts = new Map<string, CountOfKey>();
  /** The errors of each key by kind. The kind of the latest error comes last. */
  readonly #errors = new Map<string, Map<string, ErrorsOfKey>>();
  #kinds = 0;

  constructor(readonly bounds = { counts: 5_000, kinds: 1_000 }) {}

  get isEmpty(): boolean {
    return this.#counts.size === 0 && this.#errors.size === 0;
  }

  add({ keyHash: key_hash, status, error }: AnsweredRequest, now = Date.now()) {
    const hours = Math.floor(now / HOUR_MS);
    const place = `${status} ${hours} ${key_hash}`;
    const count = this.#counts.get(place);
    if (count) count.requests++;
    else if (this.#counts.size < this.bounds.counts) {
      const hour = new Date(hours * HOUR_MS).toISOString();
      this.#counts.set(place, { key_hash, hour, status, requests: 1 });
    }
    if (!error) return;
    const { request_id: id, ...kind } = error;
    const method = kind.method.slice(0, MAX_METHOD_LENGTH);
    const at = new Date(now).toISOString();
    const once = { errors: 1, first_at: at, last_at: at, requests: [{ id, at }] };
    this.#addErrors({ key_hash, status, ...kind, method, ...once });
  }

  #addErrors(added: ErrorsOfKey) {
    const { key_hash, status, code, method, operation, path, field, problem } = added;
    const ofKey = this.#errors.get(key_hash) ?? new Map<string, ErrorsOfKey>();
    const kind = JSON.stringify([status, code, method, operation, path, field, problem]);
    const known = ofKey.get(kind);
    if (known) {
      this.#forget(ofKey, kind);
    } else if (ofKey.size >= MAX_KINDS_OF_KEY || this.#kinds >= this.bounds.kinds) {
      // Only errors of this key are dropped, so that no key displaces another key's errors.
      const [oldest] = ofKey.keys();
      if (oldest === undefined) return;
      this.#forget(ofKey, oldest);
    }
    ofKey.set(kind, known ? together(known, added) : added);
    this.#kinds++;
    this.#errors.set(key_hash, ofKey);
  }

  #forget(ofKey: Map<string, ErrorsOfKey>, kind: string) {
    ofKey.delete(kind);
    this.#kinds--;
  }

  /** Removes and returns all counts. Counting starts again from zero. */
  take(): Usage {
    const errors = [...this.#errors.values()].flatMap((ofKey) => [...ofKey.values()]);
    const taken = { usage: [...this.#counts.values()], errors };
    this.#counts.clear();
    this.#errors.clear();
    this.#kinds = 0;
    return taken;
  }

  /** Puts back counts that were taken but could not be stored. */
  putBack({ usage, errors }: Usage) {
    const meanwhile = this.take();
    for (const told of [...usage, ...meanwhile.usage]) {
      const place = `${told.status} ${Date.parse(told.hour) / HOUR_MS} ${told.key_hash}`;
      const count = this.#counts.get(place);
      if (count) count.requests += told.requests;
      else if (this.#counts.size < this.bounds.counts) this.#counts.set(place, told);
    }
    for (const told of [...errors, ...meanwhile.errors]) this.#addErrors(told);
  }
}

/** Adds later errors to earlier errors of the same kind. */
function together(earlier: ErrorsOfKey, later: ErrorsOfKey): ErrorsOfKey {
  return {
    ...later,
    errors: earlier.errors + later.errors,
    first_at: earlier.first_at,
    requests: [...later.requests, ...earlier.requests].slice(0, MAX_REQUESTS),
  };
}
