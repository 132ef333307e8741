import { ApiError } from "../errors.ts";
import type { ChannelError, SendOutcome } from "../whatsapp/outcome.ts";
import type { ClaimedSend } from "./claim.ts";

/** A send that the channel did not accept, or of which nobody knows it. */
export type FailedOutcome = Exclude<SendOutcome, { kind: "accepted" }>;

/** What the error of a failed send depends on. */
interface FailedSend {
  send: ClaimedSend;
  /** Whether a repeat of the request is recognised. */
  hasKey: boolean;
  /** The sentence about a message that the channel rejected for what it is. */
  rejected: string;
}

/** The error of a send that the channel did not accept, or whose outcome is unknown. */
export function failedSend(
  outcome: FailedOutcome,
  { send, hasKey, rejected }: FailedSend,
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
        "The messaging channel did not say whether it took the message. " +
          (hasKey
            ? "Repeat the request with the same idempotency_key: that reports the result and never sends twice"
            : "A repeat could send it twice; with an idempotency_key it would not"),
        { body: { outcome: "unknown" } },
      );
  }
}

/** The sentences of the channel's refusals. */
const REFUSALS = {
  recipient_unreachable:
    "The messaging channel does not deliver to this recipient; its reason is in channel",
  recipient_opted_out: "The recipient has opted out of such messages",
  window_closed:
    "More than 24 hours have passed since the person last wrote, as the messaging channel " +
    "says; only a template can be sent until the person writes again",
};

/** What a caller is told of the channel's error. */
function toldChannel({ code, message, details }: ChannelError) {
  return { code, message, ...(details && { details }) };
}

/** The error of a send for whose account no token can be used. */
export function unusableToken(phoneNumberId: string): ApiError {
  return new ApiError(
    "channel_account_error",
    `The stored access token of the account ${phoneNumberId} cannot be used. Nothing was ` +
      "sent; have the account connected again, then repeat the request",
  );
}

/** The error of a send whose account the channel refuses. @param code the channel's. */
export function refusedAccount(phoneNumberId: string, code: number): ApiError {
  return new ApiError(
    "channel_account_error",
    `The messaging channel refuses the account ${phoneNumberId} for its token, its permissions or its ` +
      "standing. Nothing was sent; mend the account at the channel or connect it again, then repeat " +
      "the request",
    // The channel's message is left out: it can quote a malformed token.
    { body: { channel: { code } } },
  );
}
