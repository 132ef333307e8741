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
  internal: 500,
  not_implemented: 501,
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

/** An error that the caller is told of in its own words. Who throws it names a code, never a status. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(readonly code: ErrorCode, message: string, readonly parts: ErrorParts = {}) {
    super(message);
  }
  get status() {
    return STATUS[this.code];
  }
}

/** A request whose fields do not hold; the sentence leads with the first of them. */
export function invalidRequest(details: FieldError[]): ApiError {
  const [{ field, message }, ...others] = details;
  const more = others.length === 0 ? "" : ` (and ${others.length} more, see details)`;
  return new ApiError("invalid_request", `Invalid request: ${field} ${message}${more}`, {
    details,
  });
}
