/** The HTTP status of every error code that a caller can see. */
export const STATUS = {
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_scope: 403,
  not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  invalid_request: 422,
  account_not_connected: 404,
  phone_number_id_required: 422,
  template_rejected: 422,
  recipient_unreachable: 422,
  recipient_opted_out: 422,
  channel_account_error: 500,
  channel_unavailable: 502,
  database_unavailable: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof STATUS;

/** What is wrong with one field; the message follows the field's name, as in "phone is required". */
export interface FieldError {
  /** A path with dots: `phone`, `tags.3`, `limit`. */
  field: string;
  message: string;
}

interface ErrorParts {
  details?: FieldError[];
  /** Further members of the body, such as `existing_id`. */
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** An error whose sentence the caller reads. The place that throws it names a code, never a status. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(readonly code: ErrorCode, message: string, readonly parts: ErrorParts = {}) {
    super(message);
  }
  get status() {
    return STATUS[this.code];
  }
}

/** The key is wrong, switched off, expired or deleted; the caller is not told which. */
export function invalidApiKey(): ApiError {
  return new ApiError("invalid_api_key", "Invalid or expired API key");
}

/** A person reads these; a request of 1 MiB could otherwise ask for an answer of ten. */
const MAX_DETAILS = 50;
const MAX_FIELD_LENGTH = 128;

/** A request whose fields do not hold; the sentence leads with the first of them. */
export function invalidRequest(errors: FieldError[]): ApiError {
  const details = errors.slice(0, MAX_DETAILS).map(({ field, message }) => ({
    field: field.length > MAX_FIELD_LENGTH ? `${field.slice(0, MAX_FIELD_LENGTH)}…` : field,
    message,
  }));
  const [{ field, message }] = details;
  const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more, see details)`;
  return new ApiError("invalid_request", `Invalid request: ${field} ${message}${more}`, {
    details,
  });
}
