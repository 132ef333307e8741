import type { FieldsOf, Words } from "../../_shared/http/api_words.ts";
import type { ReplyRequest } from "./reply_request.ts";

/** The texts about free replies in the API's description. */
export const words = {
  operations: {
    sendReply: {
      tag: "Conversations",
      summary: "Reply in a conversation",
      description:
        "Sends a text in a conversation while its window is open: until `window_expires_at`, " +
        "24 hours after the person's last message. After that, the answer is a 409 " +
        "`window_closed`, and only a template can be sent. **Always check `success`**, and " +
        "give every message an `idempotency_key`, as for a template send.",
    },
  },
  schemas: {
    ReplyRequest: "A free reply to send.",
    ReplyAnswer: "The result of the request.",
  },
  fields: {
    ReplyRequest: {
      conversation_id: "The conversation to reply in. It must not be closed.",
      text: "The text of the message, sent byte for byte.",
      idempotency_key:
        "Your name for this one send. It never expires: a repeat with the same key sends nothing. " +
        "A key of a template send cannot be used again for a free reply.",
    } satisfies FieldsOf<typeof ReplyRequest>,
  },
} satisfies Words;
