import * as z from "zod";
import { ApiError, toldFields } from "../_shared/errors.ts";
import { Id } from "../_shared/http/fields.ts";
import type { SendOutcome } from "../_shared/whatsapp/outcome.ts";
import { type Fault, faultDetail } from "../_shared/whatsapp/template_words.ts";
import type { Claim, ClaimedSend, ConnectedAccount } from "./claim.ts";
import type { SendRequest } from "./request.ts";

// The answers of the template endpoint; specification, 4.10 and part 7.

/** The answer to a first send that the channel has accepted. */
export const Sent = z.object({
  success: z.literal(true),
  conversation_id: Id,
  message_id: Id,
  whatsapp_message_id: z.string(),
  created_conversation: z.boolean(),
  idempotent_hit: z.literal(false),
}).meta({ id: "Sent" });

/** The answer to a repeat: the state of the earlier send with the same idempotency key. */
export const Repeat = z.object({
  success: z.boolean(),
  status: z.enum(["sent", "pending", "failed"]),
  conversation_id: Id,
  message_id: Id,
  idempotent_hit: z.literal(true),
}).meta({ id: "Repeat" });

/** The answer when the contact must not be contacted. */
export const DoNotContact = z.object({
  success: z.literal(false),
  reason: z.literal("do_not_contact"),
}).meta({ id: "DoNotContact" });

/** The answer to a dry run: what the same request would do now. */
export const DryRun = z.object({
  success: z.boolean(),
  dry_run: z.literal(true),
  outcome: z.enum(["send", "repeat", "do_not_contact"]),
}).meta({ id: "DryRun" });

/** Every answer with the status 200. */
export const SendAnswer = z.union([Sent, Repeat, DoNotContact, DryRun]).meta({ id: "SendAnswer" });
export type SendAnswer = z.output<typeof SendAnswer>;

/** The answer to a first send. @param whatsappMessageId the channel's id of the message. */
export function sentAnswer(send: ClaimedSend, whatsappMessageId: string): SendAnswer {
  return {
    success: true,
    conversation_id: send.conversation_id,
    message_id: send.message_id,
    whatsapp_message_id: whatsappMessageId,
    created_conversation: send.created_conversation,
    idempotent_hit: false,
  };
}

/** The answer to a repeat. */
export function repeatAnswer(
  { status, conversation_id, message_id }: Extract<Claim, { result: "repeat" }>,
): SendAnswer {
  return {
    success: status === "sent",
    status,
    conversation_id,
    message_id,
    idempotent_hit: true,
  };
}

/** The answer to a dry run. `success` is that of the answer to the request itself. */
export function dryRunAnswer(
  claim: Extract<Claim, { result: "send" | "repeat" | "do_not_contact" }>,
): SendAnswer {
  const success = claim.result === "send" ||
    (claim.result === "repeat" && claim.status === "sent");
  return { success, dry_run: true, outcome: claim.result };
}

/** The error of a send that the account's catalogue of templates shows to be impossible. */
export function refusedByCatalogue(faults: Fault[]): ApiError {
  const { details, told } = toldFields(faults.map(faultDetail));
  return new ApiError(
    "template_rejected",
    `The template cannot be sent like this: ${told}. Nothing was sent`,
    { details },
  );
}

/** The error of a send whose header needs media that the channel does not have. */
export function noMedia(reason: string): ApiError {
  return new ApiError(
    "channel_unavailable",
    `The media of the template's header is not at the messaging channel: ${reason}. Nothing was sent; ` +
      "repeat the request later",
    { body: { outcome: "not_sent" }, headers: { "Retry-After": "10" } },
  );
}

/** The greatest number of accounts that an error lists. */
const MAX_CHOICES = 50;

/**
 * The error of a request for which no account can send, with the accounts to choose from.
 * @param asked the `phone_number_id` of the request.
 */
export function noAccount(connected: ConnectedAccount[], asked: string | undefined): ApiError {
  if (connected.length === 0) {
    return new ApiError(
      "account_not_connected",
      "The company has no connected messaging account; connect one before sending templates",
    );
  }
  const details = connected.slice(0, MAX_CHOICES).map((account) => ({
    field: "phone_number_id",
    message: `may be ${account.phone_number_id}, which is ${account.display_phone}`,
    ...account,
  }));
  return asked === undefined
    ? new ApiError(
      "phone_number_id_required",
      "The company has more than one connected messaging account; name the one that sends in phone_number_id",
      { details },
    )
    : new ApiError(
      "invalid_request",
      "Invalid request: phone_number_id is not a connected messaging account of the company",
      { details },
    );
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

/** The error of a send that the channel did not accept, or whose outcome is unknown. */
export function failedSend(
  outcome: Exclude<SendOutcome, { kind: "accepted" }>,
  send: ClaimedSend,
  { idempotency_key }: SendRequest,
): ApiError {
  switch (outcome.kind) {
    case "refused": {
      const { code, message, details } = outcome.channel;
      const channel = { code, message, ...(details && { details }) };
      return new ApiError(outcome.error, REFUSALS[outcome.error], { body: { channel } });
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
          (idempotency_key
            ? "Repeat the request with the same idempotency_key: that reports the result and never sends twice"
            : "A repeat could send it twice; with an idempotency_key it would not"),
        { body: { outcome: "unknown" } },
      );
  }
}

/** The sentences of the channel's refusals. */
const REFUSALS = {
  template_rejected: "The messaging channel rejected the template; its reason is in channel",
  recipient_unreachable:
    "The messaging channel does not deliver to this recipient; its reason is in channel",
  recipient_opted_out: "The recipient has opted out of such messages",
};
