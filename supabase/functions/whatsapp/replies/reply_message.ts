import type { MessageContent, Recipient } from "../../_shared/channel/message_call.ts";
import { interactiveOf } from "./interactive.ts";
import { recipientOf } from "./recipient.ts";
import type { ClaimedReply } from "./reply_claim.ts";
import type { ReplyRequest } from "./reply_request.ts";

/** A reply in the channel's format. */
export function replyMessage(
  claim: ClaimedReply,
  request: ReplyRequest,
): Recipient & MessageContent {
  const { reply_to } = claim;
  return {
    ...recipientOf(claim),
    ...(reply_to !== undefined && { context: { message_id: reply_to } }),
    ...content(claim, request),
  };
}

function content({ media }: ClaimedReply, request: ReplyRequest): MessageContent {
  const { text } = request;
  if (media) {
    const { type, ...medium } = media;
    return { type, [type]: { ...medium, ...(text !== undefined && { caption: text }) } };
  }
  const interactive = interactiveOf(request);
  if (interactive) {
    const { type, ...rest } = interactive;
    return { type: "interactive", interactive: { type, body: { text }, ...rest } };
  }
  return { type: "text", text: { body: text } };
}
