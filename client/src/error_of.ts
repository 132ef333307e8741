import * as errors from "./api_errors.ts";
import { APIError, type ErrorBody } from "./errors.ts";

const CLASSES = new Map<string | undefined, typeof APIError>(Object.entries({
  malformed_request: errors.MalformedRequestError,
  header_not_accepted: errors.HeaderNotAcceptedError,
  missing_api_key: errors.AuthenticationError,
  invalid_api_key: errors.AuthenticationError,
  insufficient_scope: errors.PermissionError,
  not_found: errors.NotFoundError,
  route_not_found: errors.RouteNotFoundError,
  method_not_allowed: errors.MethodNotAllowedError,
  request_timeout: errors.RequestTimeoutError,
  conflict: errors.ConflictError,
  idempotency_in_progress: errors.IdempotencyInProgressError,
  window_closed: errors.WindowClosedError,
  cursor_expired: errors.CursorExpiredError,
  media_expired: errors.MediaExpiredError,
  precondition_failed: errors.PreconditionFailedError,
  payload_too_large: errors.PayloadTooLargeError,
  invalid_request: errors.InvalidRequestError,
  idempotency_key_reused: errors.IdempotencyKeyReusedError,
  query_too_expensive: errors.QueryTooExpensiveError,
  account_not_connected: errors.AccountNotConnectedError,
  phone_number_id_required: errors.PhoneNumberIdRequiredError,
  template_rejected: errors.TemplateRejectedError,
  media_rejected: errors.MediaRejectedError,
  recipient_unreachable: errors.RecipientUnreachableError,
  recipient_opted_out: errors.RecipientOptedOutError,
  too_many_requests: errors.RateLimitError,
  channel_account_error: errors.ChannelAccountError,
  channel_unavailable: errors.ChannelUnavailableError,
  database_unavailable: errors.DatabaseUnavailableError,
  internal: errors.InternalError,
}));

/** Returns the error for a response, as an instance of the class for its error code. */
export function errorOf(status: number, headers: Headers, body: ErrorBody | string): APIError {
  const { code } = body as ErrorBody; // `undefined` if the body is plain text
  return new (CLASSES.get(code) ?? APIError)(status, headers, body);
}
