import { CRMError } from "./errors.ts";
import type { DoNotContact, MarketingOptOut, Repeat, Sent } from "./types.ts";

/** A send with this key had reached the channel before. Nothing was sent again. */
export type SentBefore = Repeat & { success: true; status: "sent" };

/**
 * What became of a send. With `success: true`, the channel has the message. Else `reason` says why the person gets
 * none: nothing was sent.
 */
export type SendResult = Sent | SentBefore | DoNotContact | MarketingOptOut;

/** A send did not come to a good end, as the answer to a repeat says. */
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

/** The send failed for good: its key sends nothing any more. `crm.sends.get(messageId)` says why. */
export class SendFailedError extends SendError {
  override name = "SendFailedError";
}

/** Nobody knew in time what became of the send. The same send with the same key asks again. */
export class SendPendingError extends SendError {
  override name = "SendPendingError";
}

/** The key names another message, which was sent before. This one was not, and will not be. */
export class SendMismatchError extends SendError {
  override name = "SendMismatchError";
}

/**
 * The result that a body is; `undefined` when it is none of the API.
 * @throws SendError when it says that the send came to no good end, or to none yet
 */
export function resultOf(
  body: SendResult | Repeat,
  { headers }: Response,
): SendResult | undefined {
  if ("idempotent_hit" in body && body.idempotent_hit) {
    if (headers.get("Idempotency-Mismatch") === "true") {
      throw new SendMismatchError("The idempotency key names another message", body);
    }
    if (body.status === "failed") throw new SendFailedError("The send has failed", body);
    if (body.status === "pending") throw new SendPendingError("The send is still under way", body);
  }
  return "success" in body ? body as SendResult : undefined;
}
