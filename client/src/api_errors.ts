import { APIError, member } from "./errors.ts";
import type { ChannelError } from "./types.ts";

/** `malformed_request`: the body ended before it was complete. */
export class MalformedRequestError extends APIError {
  override name = "MalformedRequestError";
}

/**
 * `header_not_accepted`: the request has a header, such as `If-Match`, that the operation does not
 * support.
 */
export class HeaderNotAcceptedError extends APIError {
  override name = "HeaderNotAcceptedError";
}

/**
 * `missing_api_key` and `invalid_api_key`: the API key is missing, wrong, switched off, expired or
 * deleted.
 */
export class AuthenticationError extends APIError {
  override name = "AuthenticationError";
}

/** `insufficient_scope`: the API key does not have the scope that the request needs. */
export class PermissionError extends APIError {
  override name = "PermissionError";
}

/** `not_found`: your company has no record with this id. */
export class NotFoundError extends APIError {
  override name = "NotFoundError";
}

/** `route_not_found`: the API does not have this path. */
export class RouteNotFoundError extends APIError {
  override name = "RouteNotFoundError";
}

/** `method_not_allowed`: the path does not accept this method. */
export class MethodNotAllowedError extends APIError {
  override name = "MethodNotAllowedError";
}

/** `request_timeout`: the body did not arrive in time. Nothing was done. */
export class RequestTimeoutError extends APIError {
  override name = "RequestTimeoutError";
}

/**
 * `conflict`: the request conflicts with the current state of the records. For example, another
 * contact already has the phone number.
 */
export class ConflictError extends APIError {
  override name = "ConflictError";
  /** The id of the record that causes the conflict, if the response contains it. */
  readonly existingId: string | null = member(this, "existing_id");
}

/** `idempotency_in_progress`: the first request with this idempotency key is still in progress. */
export class IdempotencyInProgressError extends APIError {
  override name = "IdempotencyInProgressError";
}

/**
 * `window_closed`: free replies are possible only within 24 hours after the contact's last message.
 * Send a template.
 */
export class WindowClosedError extends APIError {
  override name = "WindowClosedError";
  /** When the window closed. `null` if the window was never open, or if this time is unknown. */
  readonly windowExpiresAt: string | null = member(this, "window_expires_at");
}

/**
 * `cursor_expired`: this cursor for a list of changes was created before the database was restored.
 * Read everything again.
 */
export class CursorExpiredError extends APIError {
  override name = "CursorExpiredError";
}

/** `media_expired`: the channel no longer has the file that the contact sent. */
export class MediaExpiredError extends APIError {
  override name = "MediaExpiredError";
}

/**
 * `precondition_failed`: the record's version matches none of the versions in `ifMatch`. Nothing
 * was changed.
 */
export class PreconditionFailedError extends APIError {
  override name = "PreconditionFailedError";
  /** The record's current ETag. */
  readonly etag: string | null = member(this, "etag");
}

/**
 * `payload_too_large`: the body is larger than 1 MiB, or an uploaded file exceeds the limit for its
 * type.
 */
export class PayloadTooLargeError extends APIError {
  override name = "PayloadTooLargeError";
}

/** `invalid_request`: some fields or parameters are invalid. `details` names them. */
export class InvalidRequestError extends APIError {
  override name = "InvalidRequestError";
}

/**
 * `idempotency_key_reused`: the idempotency key belongs to a different request. Nothing was done.
 * For a send, `details` names what differs: the recipient, the template or the kind of send.
 */
export class IdempotencyKeyReusedError extends APIError {
  override name = "IdempotencyKeyReusedError";
}

/** `query_too_expensive`: the query takes too long, because no index supports it. */
export class QueryTooExpensiveError extends APIError {
  override name = "QueryTooExpensiveError";
}

/** `account_not_connected`: the company has no connected messaging account. */
export class AccountNotConnectedError extends APIError {
  override name = "AccountNotConnectedError";
}

/**
 * `phone_number_id_required`: the company has several messaging accounts. `details` lists the
 * possible ids.
 */
export class PhoneNumberIdRequiredError extends APIError {
  override name = "PhoneNumberIdRequiredError";
}

/**
 * `template_rejected`: the template needs different values, cannot be sent now, or was refused by
 * the channel.
 */
export class TemplateRejectedError extends APIError {
  override name = "TemplateRejectedError";
  /** The channel's reason, if the channel refused the template. */
  readonly channel: ChannelError | null = member(this, "channel");
}

/** `media_rejected`: the channel does not accept the file, or cannot fetch it. */
export class MediaRejectedError extends APIError {
  override name = "MediaRejectedError";
  /** The channel's reason. */
  readonly channel: ChannelError | null = member(this, "channel");
}

/** `recipient_unreachable`: the channel does not deliver to this phone number. */
export class RecipientUnreachableError extends APIError {
  override name = "RecipientUnreachableError";
  /** The channel's reason. */
  readonly channel: ChannelError | null = member(this, "channel");
}

/** `recipient_opted_out`: the contact does not want messages of this kind. */
export class RecipientOptedOutError extends APIError {
  override name = "RecipientOptedOutError";
  /** The channel's reason. */
  readonly channel: ChannelError | null = member(this, "channel");
}

/** `too_many_requests`: your company has too many requests in progress. Nothing was done. */
export class RateLimitError extends APIError {
  override name = "RateLimitError";
}

/** `channel_account_error`: the channel refuses the messaging account. Nothing was sent. */
export class ChannelAccountError extends APIError {
  override name = "ChannelAccountError";
  /** The channel's reason, if the channel gave a reason. */
  readonly channel: ChannelError | null = member(this, "channel");
}

/** `channel_unavailable`: the channel is down, limits requests, or does not respond. */
export class ChannelUnavailableError extends APIError {
  override name = "ChannelUnavailableError";
  /** For a send: `not_sent` if the message was definitely not sent, otherwise `unknown`. */
  readonly outcome: "not_sent" | "unknown" | null = member(this, "outcome");
}

/** `database_unavailable`: the database is down, or too slow at the moment. */
export class DatabaseUnavailableError extends APIError {
  override name = "DatabaseUnavailableError";
}

/** `internal`: the service failed. Report the request id. */
export class InternalError extends APIError {
  override name = "InternalError";
}
