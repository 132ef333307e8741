import { APIError, member } from "./errors.ts";
import type { ChannelError } from "./types.ts";

/** `malformed_request`: the body broke off on its way. */
export class MalformedRequestError extends APIError {
  override name = "MalformedRequestError";
}

/** `missing_api_key` and `invalid_api_key`: the API key is missing, wrong, switched off, expired or deleted. */
export class AuthenticationError extends APIError {
  override name = "AuthenticationError";
}

/** `insufficient_scope`: the API key does not have the scope that the request needs. */
export class PermissionError extends APIError {
  override name = "PermissionError";
}

/** `not_found`: your company has no such record. */
export class NotFoundError extends APIError {
  override name = "NotFoundError";
}

/** `route_not_found`: the API has no such path. */
export class RouteNotFoundError extends APIError {
  override name = "RouteNotFoundError";
}

/** `method_not_allowed`: the path does not take this method. */
export class MethodNotAllowedError extends APIError {
  override name = "MethodNotAllowedError";
}

/** `request_timeout`: the body did not arrive in time. Nothing was done. */
export class RequestTimeoutError extends APIError {
  override name = "RequestTimeoutError";
}

/** `conflict`: another record has what only one may have. */
export class ConflictError extends APIError {
  override name = "ConflictError";
  /** The id of that record. */
  readonly existingId: string | null = member(this, "existing_id");
}

/** `idempotency_in_progress`: the first request with this idempotency key is under way. */
export class IdempotencyInProgressError extends APIError {
  override name = "IdempotencyInProgressError";
}

/** `window_closed`: the 24 hours in which a person may be answered freely are over. Send a template. */
export class WindowClosedError extends APIError {
  override name = "WindowClosedError";
  /** When the window closed; `null` when it was never open. */
  readonly windowExpiresAt: string | null = member(this, "window_expires_at");
}

/** `cursor_expired`: the cursor of changes is from before the database was restored. Read everything again. */
export class CursorExpiredError extends APIError {
  override name = "CursorExpiredError";
}

/** `precondition_failed`: the record is not as `ifMatch` says. Nothing was changed. */
export class PreconditionFailedError extends APIError {
  override name = "PreconditionFailedError";
  /** The ETag of the record as it is now. */
  readonly etag: string | null = member(this, "etag");
}

/** `payload_too_large`: the body is larger than 1 MiB. */
export class PayloadTooLargeError extends APIError {
  override name = "PayloadTooLargeError";
}

/** `invalid_request`: fields or parameters are wrong. `details` names them. */
export class InvalidRequestError extends APIError {
  override name = "InvalidRequestError";
}

/** `idempotency_key_reused`: the idempotency key belongs to another request. Nothing was done. */
export class IdempotencyKeyReusedError extends APIError {
  override name = "IdempotencyKeyReusedError";
}

/** `query_too_expensive`: no index finds the records of the query in time. */
export class QueryTooExpensiveError extends APIError {
  override name = "QueryTooExpensiveError";
}

/** `account_not_connected`: the company has no connected messaging account. */
export class AccountNotConnectedError extends APIError {
  override name = "AccountNotConnectedError";
}

/** `phone_number_id_required`: the company has several messaging accounts. `details` lists the ids to choose from. */
export class PhoneNumberIdRequiredError extends APIError {
  override name = "PhoneNumberIdRequiredError";
}

/** `template_rejected`: the template takes other values, cannot be sent now, or was refused by the channel. */
export class TemplateRejectedError extends APIError {
  override name = "TemplateRejectedError";
  /** The reason of the channel, when it was asked. */
  readonly channel: ChannelError | null = member(this, "channel");
}

/** `recipient_unreachable`: the channel does not deliver to this phone. */
export class RecipientUnreachableError extends APIError {
  override name = "RecipientUnreachableError";
  /** The reason of the channel. */
  readonly channel: ChannelError | null = member(this, "channel");
}

/** `recipient_opted_out`: the person does not want such messages. */
export class RecipientOptedOutError extends APIError {
  override name = "RecipientOptedOutError";
  /** The reason of the channel. */
  readonly channel: ChannelError | null = member(this, "channel");
}

/** `too_many_requests`: your company has too many requests under way. Nothing was done. */
export class RateLimitError extends APIError {
  override name = "RateLimitError";
}

/** `channel_account_error`: the channel refuses the messaging account. Nothing was sent. */
export class ChannelAccountError extends APIError {
  override name = "ChannelAccountError";
  /** The reason of the channel, when it gave one. */
  readonly channel: ChannelError | null = member(this, "channel");
}

/** `channel_unavailable`: the channel cannot be reached. */
export class ChannelUnavailableError extends APIError {
  override name = "ChannelUnavailableError";
  /** Whether the message was certainly not sent, or nobody knows. */
  readonly outcome: "not_sent" | "unknown" | null = member(this, "outcome");
}

/** `database_unavailable`: the database is away, or too slow for now. */
export class DatabaseUnavailableError extends APIError {
  override name = "DatabaseUnavailableError";
}

/** `internal`: a fault of the service. Report the request id. */
export class InternalError extends APIError {
  override name = "InternalError";
}
