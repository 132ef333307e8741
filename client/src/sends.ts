import { CRMError } from "./errors.ts";
import type { DoNotContact, MarketingOptOut, Repeat, Send, Sent } from "./types.ts";

/** An earlier send with the same key already reached the channel. No second message was sent. */
export type SentBefore = Repeat & { success: true; status: "sent" };

/**
 * The outcome of a send. With `success: true`, the channel has the message. Otherwise nothing was
 * sent, and `reason` explains why the contact must not receive the message.
 */
export type SendResult = Sent | SentBefore | DoNotContact | MarketingOptOut;

/** The response to a repeated request says that the send has not succeeded. */
export class SendError extends CRMError {
  override name = "SendError";
  readonly messageId: string;
  readonly conversationId: string;

  constructor(sentence: string, { message_id, conversation_id }: Repeat) {
    super(`${sentence} (message ${message_id})`);
    this.messageId = message_id;
    this.conversationId = conversation_id;
  }
}

/**
 * The send failed permanently. Its key can no longer be used for a send. `crm.sends.get(messageId)`
 * returns the reason. With the reason `outcome_unknown`, the person may have received the message.
 */
export class SendFailedError extends SendError {
  override name = "SendFailedError";
}

/**
 * The outcome of the send was not known in time. Repeat the send with the same key to learn the
 * outcome.
 */
export class SendPendingError extends SendError {
  override name = "SendPendingError";
}

/**
 * The first send with this key had the same recipient and template, but different values. The new
 * values were not sent.
 */
export class SendMismatchError extends SendError {
  override name = "SendMismatchError";
  /** The fields that differ, such as `body_variables`. */
  readonly mismatch: string[];

  constructor(repeat: Repeat) {
    const { mismatch = [] } = repeat;
    super(`The first send with the idempotency key differs in ${mismatch.join(", ")}`, repeat);
    this.mismatch = mismatch;
  }
}

/**
 * Returns the result in a response body. Returns `undefined` if the body does not come from the
 * API.
 * @throws SendError if the body says that the send failed or is still in progress
 */
export function resultOf(
  body: SendResult | Repeat,
): SendResult | undefined {
  if ("idempotent_hit" in body && body.idempotent_hit) {
    if (body.mismatch) throw new SendMismatchError(body);
    if (body.status === "failed") throw new SendFailedError("The send has failed", body);
    if (body.status === "pending") {
      throw new SendPendingError("The send is still in progress", body);
    }
  }
  return "success" in body ? body as SendResult : undefined;
}

/**
 * The state of a send. `accepted`: the channel has the message but has not reported its arrival
 * yet. `failed`: the channel could not deliver the message, or never responded. `refused`: the
 * channel did not accept the message. `released`: the channel does not have the message. A repeat
 * of the request with the same key sends the message.
 */
export type Outcome =
  | "pending"
  | "accepted"
  | "delivered"
  | "read"
  | "failed"
  | "expired"
  | "refused"
  | "released";

/**
 * Returns what happened to a send. The result depends on `state` and `status`, because the state
 * `sent` does not mean that the message arrived.
 *
 * ```ts
 * const send = await crm.sends.find("order-A-1815-shipped");
 * if (send && outcomeOf(send) === "failed") console.log(send.failure?.reason);
 * ```
 */
export function outcomeOf(
  { state, status, failure, whatsapp_message_id }: Pick<
    Send,
    "state" | "status" | "failure" | "whatsapp_message_id"
  >,
): Outcome {
  if (status === "delivered" || status === "read") return status;
  if (state === "pending" || state === "released") return state;
  if (state === "failed") {
    const wasTaken = whatsapp_message_id !== null || failure?.reason === "outcome_unknown";
    return wasTaken ? "failed" : "refused";
  }
  return status === "failed" || status === "expired" ? status : "accepted";
}
