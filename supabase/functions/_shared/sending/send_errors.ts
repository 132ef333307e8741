import { ApiError } from "../errors.ts";
import type { ChannelError, SendOutcome } from "../channel/outcome.ts";
import type { Access } from "./claim.ts";

/** The outcome of a send that the channel did not accept, or an unknown outcome. */
export type FailedOutcome = Exclude<SendOutcome, { kind: "accepted" }>;

/** The facts that determine which error a failed send returns. */
interface FailedSend {
  send: Pick<Access, "phone_number_id">;
  /** The error message if the channel rejected the message because of its content. */
  rejected: string;
  /** What to do if it is unknown whether the channel accepted the message. */
  ifUnknown: string;
}

/** The error for a send that the channel did not accept or whose outcome is unknown. */
export function failedSend(
  outcome: FailedOutcome,
  { send, rejected, ifUnknown }: FailedSend,
): ApiError {
  switch (outcome.kind) {
    case "refused": {
      const sentences = { ...REFUSALS, template_rejected: rejected };
      return new ApiError(outcome.error, sentences[outcome.error], {
        body: { channel: toldChannel(outcome.channel) },
      });
    }
    case "not_taken": {
      if (outcome.error === "channel_account_error") {
        return outcome.channel
          ? refusedAccount(send.phone_number_id, outcome.channel.code)
          : unusableToken(send.phone_number_id);
      }
      return new ApiError(
        "channel_unavailable",
        "The messaging channel is not available. Nothing was sent; repeat the request later",
        {
          body: { outcome: "not_sent" },
          headers: outcome.retryAfter === undefined
            ? {}
            : { "Retry-After": String(outcome.retryAfter) },
        },
      );
    }
    case "unknown":
      return new ApiError(
        "channel_unavailable",
        `The messaging channel did not say whether it accepted the message. ${ifUnknown}`,
        { body: { outcome: "unknown" } },
      );
  }
}

/**
 * What to do if the outcome of a send is unknown.
 * @param hasKey whether the request has an idempotency key, so that a repeat is recognised.
 */
export function repeatOfUnknown(hasKey: boolean): string {
  return hasKey
    ? "Repeat the request with the same idempotency_key: that reports the result and never sends twice"
    : "A repeat could send the message twice; with an idempotency_key, a repeat never sends it twice";
}

/** The sentences for the channel's refusals. */
const REFUSALS = {
  media_rejected: "The messaging channel rejected the file; the field channel has the reason",
  recipient_unreachable:
    "The messaging channel does not deliver to this recipient; the field channel has the reason",
  recipient_opted_out: "The recipient has opted out of messages of this kind",
  window_closed:
    "More than 24 hours have passed since the person last wrote, as the messaging channel " +
    "reports; only a template can be sent until the person writes again",
};

/** The part of the channel's error that a caller receives. */
function toldChannel({ code, message, details }: ChannelError) {
  return { code, message, ...(details && { details }) };
}

/** The error for a send whose account has no usable token. */
export function unusableToken(phoneNumberId: string): ApiError {
  return new ApiError(
    "channel_account_error",
    `The stored access token of the account ${phoneNumberId} cannot be used. Nothing was ` +
      "sent; ask the operator to connect the account again, then repeat the request",
  );
}

/**
 * The error for a send whose account the channel refuses.
 *
 * @param code the channel's error code.
 */
export function refusedAccount(phoneNumberId: string, code: number): ApiError {
  return new ApiError(
    "channel_account_error",
    `The messaging channel refuses the account ${phoneNumberId} because of its token, its ` +
      "permissions or its status. Nothing was sent; repair the account at the channel or " +
      "connect it again, then repeat the request",
    // The channel's message is left out, because it may contain a malformed token.
    { body: { channel: { code } } },
  );
}
