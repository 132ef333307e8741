import type { BatchAnswer } from "./records.ts";
import type { FieldError } from "./types.ts";

/**
 * The base class of the errors that this client throws. If you use the client incorrectly, it
 * throws a TypeError instead.
 */
export class CRMError extends Error {
  override name = "CRMError";
  /**
   * The idempotency key of the request, if the request had a key. If you repeat the request with
   * this key, the request takes effect only once. For `createMany`, it is the key of the whole call.
   */
  idempotencyKey: string | null = null;
  /**
   * Whether the request may have taken effect although it failed. The value is `true` if the
   * outcome of an attempt is unknown and no later response reported the outcome. The value is also
   * `true` for every SendFailedError, because the person may have received the message. It is
   * `false` for every read.
   */
  mayBeDone = false;
  /** For `createMany` and `updateMany`: the responses to the batches before the failed batch. */
  done: BatchAnswer<unknown> | null = null;
}

/**
 * No response arrived, or the connection was lost before the response was complete. `cause` is the
 * error that `fetch` threw.
 */
export class ConnectionError extends CRMError {
  override name = "ConnectionError";
}

/** The response did not arrive in time. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";
}

/** The body of an error response, as the API sends it. */
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
 * The API, or a server between the API and you, responded with an error. The class of the error
 * depends on its code.
 */
export class APIError extends CRMError {
  override name = "APIError";
  /** The HTTP status. */
  readonly status: number;
  /**
   * The error code. Your program can use the code to decide what to do. `null` if the response does
   * not come from the API.
   */
  readonly code: string | null;
  /** The request id. Quote it when you report a problem. */
  readonly requestId: string | null;
  /** The problem with each invalid field, if the error concerns fields. */
  readonly details: FieldError[];
  /** The URL of the page that explains the error code, if the response contains this URL. */
  readonly docUrl: string | null;
  /** The number of seconds to wait before you try again, if the API says so. */
  readonly retryAfter: number | null;
  /** The whole body: an object, or a string if the body is not JSON. */
  readonly body: ErrorBody | string;
  /** The response headers. */
  readonly headers: Headers;

  constructor(status: number, headers: Headers, body: ErrorBody | string) {
    const told = body as ErrorBody; // A plain-text body has no such properties.
    // If the platform in front of the API refuses a request, `message` contains the description,
    // and `code` is the platform's own code or number.
    const isOurs = typeof told.error === "string";
    super(
      isOurs
        ? told.error
        : told.message ?? `The response has the status ${status} and is not from the API`,
    );
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

/** Returns the seconds to wait. `Retry-After` contains a number of seconds or a date. */
function secondsOf(after: string | null): number | null {
  if (!after) return null;
  const seconds = /^\d+$/.test(after) ? +after : (Date.parse(after) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(seconds, 0);
}

/** Returns a property of an error's body. */
export function member<Value>({ body }: APIError, name: string): Value | null {
  return ((body as ErrorBody)[name] as Value | undefined) ?? null;
}
