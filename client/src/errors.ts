import type { BatchAnswer } from "./records.ts";
import type { FieldError } from "./types.ts";

/**
 * The base class of the errors that this client throws. A wrong use of the client throws a
 * TypeError instead.
 */
export class CRMError extends Error {
  override name = "CRMError";
  /**
   * The idempotency key of the request, if the request had a key. If you repeat the request with
   * this key, it takes effect only once.
   */
  idempotencyKey: string | null = null;
  /**
   * Whether the request may have taken effect although it failed: an answer was lost, and no later
   * answer showed the result. Always `false` for a read.
   */
  mayBeDone = false;
  /** For `createMany` and `updateMany`: the answers to the batches before the failed batch. */
  done: BatchAnswer<unknown> | null = null;
}

/**
 * There was no answer, or the connection was lost before the answer was complete. `cause` is the
 * error of `fetch`.
 */
export class ConnectionError extends CRMError {
  override name = "ConnectionError";
}

/** There was no answer in time. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";
}

/** The body of an error, as the API sends it. */
export interface ErrorBody {
  error?: string;
  code?: string;
  request_id?: string;
  details?: FieldError[];
  doc_url?: string;
  message?: string;
  [member: string]: unknown;
}

/**
 * The API, or a server between the API and you, refused the request. Each code has its own class.
 */
export class APIError extends CRMError {
  override name = "APIError";
  /** The HTTP status. */
  readonly status: number;
  /**
   * The error code. Your program can use the code to decide what to do. `null` when the answer is
   * not from the API.
   */
  readonly code: string | null;
  /** The id of the request: quote it when you report a problem. */
  readonly requestId: string | null;
  /** What is wrong with each field, if fields are wrong. */
  readonly details: FieldError[];
  /** The page that explains the code, if the API names one. */
  readonly docUrl: string | null;
  /** The number of seconds to wait before you try again, if the API says so. */
  readonly retryAfter: number | null;
  /** The whole body: an object, or a text when the body is not JSON. */
  readonly body: ErrorBody | string;
  /** The headers of the answer. */
  readonly headers: Headers;

  constructor(status: number, headers: Headers, body: ErrorBody | string) {
    const told = body as ErrorBody; // a body of plain text has no such members
    // If the platform in front of the API refuses a request, the sentence is in `message`, and the
    // code is the platform's own code or number.
    const isOurs = typeof told.error === "string";
    super(isOurs ? told.error : told.message ?? `The answer is a ${status}, and not from the API`);
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.code = isOurs && told.code || null;
    this.requestId = told.request_id ?? headers.get("X-Request-Id");
    this.details = isOurs && told.details || [];
    this.docUrl = told.doc_url ?? null;
    this.retryAfter = secondsOf(headers.get("Retry-After"));
  }
}

/** `Retry-After` is a number of seconds, or a date. */
function secondsOf(after: string | null): number | null {
  if (!after) return null;
  const seconds = /^\d+$/.test(after) ? +after : (Date.parse(after) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(seconds, 0);
}

/** A member of an error's body. */
export function member<Value>({ body }: APIError, name: string): Value | null {
  return ((body as ErrorBody)[name] as Value | undefined) ?? null;
}
