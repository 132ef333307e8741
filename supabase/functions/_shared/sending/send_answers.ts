import * as z from "zod/mini";
import { Id } from "../http/fields.ts";
import { MismatchedField } from "./mismatched_field.ts";
import type { ClaimedSend, RepeatedSend } from "./claim.ts";

// The responses that every kind of send has (specification, 4.10 and part 7).

/** The response to a first send that the channel has accepted. */
export const Sent = z.object({
  success: z.literal(true),
  conversation_id: Id,
  message_id: Id,
  whatsapp_message_id: z.string(),
  created_conversation: z.boolean(),
  idempotent_hit: z.literal(false),
}).register(z.globalRegistry, { id: "Sent" });

/** The fields in which a repeat differs from the first request. */
const Mismatch = z.optional(z.array(MismatchedField).check(z.minLength(1)));

/** The response to a repeat: the state of the earlier send with the same idempotency key. */
export const Repeat = z.object({
  success: z.boolean(),
  status: z.enum(["sent", "pending", "failed"]),
  conversation_id: Id,
  message_id: Id,
  idempotent_hit: z.literal(true),
  mismatch: Mismatch,
}).register(z.globalRegistry, { id: "Repeat" });

/** The response when the contact must not be contacted. */
export const DoNotContact = z.object({
  success: z.literal(false),
  reason: z.literal("do_not_contact"),
}).register(z.globalRegistry, { id: "DoNotContact" });

/** The response to a dry run: what the same request would do now. */
export const DryRun = z.object({
  success: z.boolean(),
  dry_run: z.literal(true),
  outcome: z.enum(["send", "repeat", "do_not_contact", "marketing_opt_out"]),
  mismatch: Mismatch,
}).register(z.globalRegistry, { id: "DryRun" });

/**
 * The response to a first send.
 *
 * @param whatsappMessageId the channel's id of the message.
 */
export function sentAnswer(send: ClaimedSend, whatsappMessageId: string): z.output<typeof Sent> {
  return {
    success: true,
    conversation_id: send.conversation_id,
    message_id: send.message_id,
    whatsapp_message_id: whatsappMessageId,
    created_conversation: send.created_conversation,
    idempotent_hit: false,
  };
}

/** The response to a repeat. */
export function repeatAnswer(
  { status, conversation_id, message_id, mismatch }: RepeatedSend,
): z.output<typeof Repeat> {
  return {
    success: status === "sent",
    status,
    conversation_id,
    message_id,
    idempotent_hit: true,
    ...(mismatch && { mismatch }),
  };
}

/**
 * A decision after which nothing is sent, although the request has no error. `send` is the result
 * of a dry run.
 */
type Stopped =
  | { result: "send" | "do_not_contact" | "marketing_opt_out" }
  | ({ result: "repeat" } & Pick<RepeatedSend, "status" | "mismatch">);

/**
 * The response to a dry run. `success` is the value that the real request would return.
 */
export function dryRunAnswer(claim: Stopped): z.output<typeof DryRun> {
  const success = claim.result === "send" ||
    (claim.result === "repeat" && claim.status === "sent");
  const mismatch = "mismatch" in claim && { mismatch: claim.mismatch };
  return { success, dry_run: true, outcome: claim.result, ...mismatch };
}
