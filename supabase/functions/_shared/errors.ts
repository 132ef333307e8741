/** The HTTP status of each error code that callers of the API can receive. */
export const STATUS = {
  malformed_request: 400,
  header_not_accepted: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_scope: 403,
  not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  idempotency_in_progress: 409,
  window_closed: 409,
  cursor_expired: 410,
  media_expired: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  invalid_request: 422,
  idempotency_key_reused: 422,
  query_too_expensive: 422,
  account_not_connected: 404,
  phone_number_id_required: 422,
  template_rejected: 422,
  media_rejected: 422,
  recipient_unreachable: 422,
  recipient_opted_out: 422,
  too_many_requests: 429,
  channel_account_error: 500,
  channel_unavailable: 502,
  database_unavailable: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** The HTTP status of the error codes that only the operator's job scheduler receives. */
export const JOB_STATUS = {
  invalid_jobs_secret: 401,
  job_running: 409,
  jobs_not_configured: 503,
} as const;

export type JobErrorCode = keyof typeof JOB_STATUS;

/** The HTTP status of the error codes that only the channel receives, when it sends events. */
export const EVENT_STATUS = {
  invalid_signature: 401,
  wrong_verify_token: 403,
  app_secret_unusable: 503,
} as const;

export type EventErrorCode = keyof typeof EVENT_STATUS;

/** The HTTP status of the error codes that only the settings page receives. */
export const PERSON_STATUS = {
  not_signed_in: 401,
  not_allowed: 403,
  account_refused: 422,
} as const;

export type PersonErrorCode = keyof typeof PERSON_STATUS;

/** A fault in one field. The message follows the field's name, as in "phone is required". */
export interface FieldError {
  /** The field's path, with dots: `phone`, `tags.3`, `limit`. */
  field: string;
  message: string;
}

interface ErrorParts {
  details?: FieldError[];
  /** Additional properties of the response body, such as `existing_id`. */
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Facts for the log, which the caller does not receive. */
  logFacts?: Record<string, unknown>;
}

/**
 * An error that the caller sees. It is thrown with an error code, never with an HTTP status.
 */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly code: ErrorCode | JobErrorCode | EventErrorCode | PersonErrorCode,
    message: string,
    readonly parts: ErrorParts = {},
  ) {
    super(message);
  }
  get status(): number {
    return { ...STATUS, ...JOB_STATUS, ...EVENT_STATUS, ...PERSON_STATUS }[this.code];
  }
  logFacts(): Record<string, unknown> {
    return this.parts.logFacts ?? {};
  }
}

/**
 * The key is wrong, switched off, expired or deleted. The caller does not learn which of these is
 * true.
 * @param logFacts facts about the key, for the log.
 */
export function invalidApiKey(logFacts?: Record<string, unknown>): ApiError {
  return new ApiError("invalid_api_key", "Invalid or expired API key", { logFacts });
}

/**
 * The Retry-After header for errors that last only seconds. A caller that repeats the request
 * earlier receives the same error again.
 */
export const RETRY_SOON = { "Retry-After": "2" };

/** The company has more requests in progress than its share. Nothing was done for this request. */
export function tooManyRequests(): ApiError {
  return new ApiError(
    "too_many_requests",
    "Your company has too many requests in progress; nothing was done for this request, so repeat it " +
      "after the seconds in Retry-After",
    { headers: RETRY_SOON },
  );
}

/**
 * This instance has too many requests of one kind in progress, for all companies together. Nothing
 * was done for this request.
 */
export function tooManyOfAll(): ApiError {
  return new ApiError(
    "too_many_requests",
    "The service has too many requests of this kind in progress for all companies together; nothing " +
      "was done for this request, so repeat it after the seconds in Retry-After",
    { headers: RETRY_SOON },
  );
}

/**
 * The record has a version that the caller does not accept. Nothing was written.
 *
 * @param etag the record's current ETag; missing when the record does not exist.
 */
export function preconditionFailed(etag?: string): ApiError {
  if (etag === undefined) {
    return new ApiError(
      "precondition_failed",
      "The record does not exist, so nothing was written; to create it, send the same request without If-Match",
    );
  }
  return new ApiError(
    "precondition_failed",
    "The record has changed since you read it, so nothing was written; read it again, and " +
      "repeat the change with its new ETag if you still want it",
    { headers: { ETag: etag }, body: { etag } },
  );
}

/** The first request with this Idempotency-Key is still in progress. */
export function idempotencyInProgress(): ApiError {
  return new ApiError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is in progress; repeat your request after the seconds in Retry-After, to " +
      "get the same answer",
    { headers: { "Retry-After": "1" } },
  );
}

/** The first request with this Idempotency-Key was a different request. */
export function idempotencyKeyReused(): ApiError {
  return new ApiError(
    "idempotency_key_reused",
    "This Idempotency-Key belongs to an earlier request with another body or other parameters, so nothing was done; " +
      "send a new key, or repeat the earlier request unchanged",
  );
}

/** The filters of a query make its URL too long for the database. */
export function queryTooLong(): ApiError {
  return new ApiError(
    "invalid_request",
    "All filters together are too long; send fewer values, or shorter texts, in one request",
  );
}

// Without this limit, a 1 MiB request with only invalid fields would produce a 10 MiB response.
const MAX_DETAILS = 50;
const MAX_FIELD_LENGTH = 128;

/**
 * The parts of an error about invalid fields. `details` has the first 50 fields. `told` is a string
 * that names the first field and gives the number of other fields.
 */
export function toldFields(errors: FieldError[]): { details: FieldError[]; told: string } {
  const details = errors.slice(0, MAX_DETAILS).map(({ field, message }) => ({
    field: field.length > MAX_FIELD_LENGTH ? `${field.slice(0, MAX_FIELD_LENGTH)}…` : field,
    message,
  }));
  const [{ field, message }] = details;
  const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more, see details)`;
  return { details, told: `${field} ${message}${more}` };
}

/**
 * The error about a header that would have no effect, although the caller relies on it.
 * @param message the text after the header's name, which explains what to do instead.
 */
export function headerNotAccepted(field: string, message: string): ApiError {
  return new ApiError("header_not_accepted", `Header not accepted: ${field} ${message}`, {
    details: [{ field, message }],
  });
}

/** A request with invalid fields. The message names the first invalid field. */
export function invalidRequest(errors: FieldError[]): ApiError {
  const { details, told } = toldFields(errors);
  return new ApiError("invalid_request", `Invalid request: ${told}`, { details });
}
