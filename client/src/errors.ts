import type { FieldError } from "./types.ts";

/** Every error of this client that is not a mistake in its use. */
export class CRMError extends Error {
  override name = "CRMError";
  /** The key of the request, when it had one. The same request with the same key is done once. */
  idempotencyKey: string | null = null;
  /**
   * Whether the request may have been done although it failed: an answer was lost, and nothing has told since. Always
   * `false` for a read.
   */
  mayBeDone = false;
}

/** There was no answer, or it broke off. `cause` has what the platform says. */
export class ConnectionError extends CRMError {
  override name = "ConnectionError";
}

/** There was no answer in time. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";
}

/** The body of an error, as the API answers it. */
export interface ErrorBody {
  error?: string;
  code?: string;
  request_id?: string;
  details?: FieldError[];
  doc_url?: string;
  message?: string;
  [member: string]: unknown;
}

/** The API refused the request, or something between it and you did. Each code has a class of its own. */
export class APIError extends CRMError {
  override name = "APIError";
  /** The HTTP status. */
  readonly status: number;
  /** The error code, by which a program decides; `null` when the answer is none of the API. */
  readonly code: string | null;
  /** The id of the request: quote it when you report a problem. */
  readonly requestId: string | null;
  /** What is wrong with each field, when fields are at fault. */
  readonly details: FieldError[];
  /** The page that explains the code, when the API names one. */
  readonly docUrl: string | null;
  /** After how many seconds to come back, when the API says so. */
  readonly retryAfter: number | null;
  /** The whole body: an object, or a text when it is no JSON. */
  readonly body: ErrorBody | string;
  /** The headers of the answer. */
  readonly headers: Headers;

  constructor(status: number, headers: Headers, body: ErrorBody | string) {
    const told = body as ErrorBody; // a text has none of its members
    // The platform before the API has its sentence in `message`, and a code or a number of its own.
    const isOurs = typeof told.error === "string";
    super(isOurs ? told.error : told.message ?? `The answer is a ${status}, and none of the API`);
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

/** `Retry-After` has seconds, or a date. */
function secondsOf(after: string | null): number | null {
  if (!after) return null;
  const seconds = /^\d+$/.test(after) ? +after : (Date.parse(after) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(seconds, 0);
}

/** A member of an error's body. */
export function member<Value>({ body }: APIError, name: string): Value | null {
  return ((body as ErrorBody)[name] as Value | undefined) ?? null;
}
