import type { FieldsOf, Words } from "../http/api_words.ts";
import type { DoNotContact, DryRun, Repeat, Sent } from "./send_answers.ts";

const MISMATCH = "The fields that differ from the first request with this key. The response then " +
  "also has the header `Idempotency-Mismatch`. The new values of these fields were not sent. " +
  "Missing when nothing differs.";

/** The descriptions of the responses that template sends and free replies share. */
export const words = {
  schemas: {
    Sent: "A first send that the channel accepted.",
    Repeat: "The state of the earlier send with the same idempotency key.",
    MismatchedField: "A field in which a repeat differs from the first request with the same key.",
    DoNotContact: "A refused send: the contact must not be contacted.",
    DryRun: "What the request would do without `dry_run`.",
  },
  fields: {
    Sent: {
      success: "The channel accepted the message.",
      conversation_id: "The conversation of the message.",
      message_id: "The id of the stored message.",
      whatsapp_message_id: "The channel's id of the message.",
      created_conversation: "Whether the conversation was opened for this message.",
      idempotent_hit: "The request is not a repeat.",
    } satisfies FieldsOf<typeof Sent>,
    Repeat: {
      success: "Whether the channel accepted the earlier send.",
      status:
        "`sent`: the channel accepted the message. `pending`: the send is in progress; repeat the " +
        "request after a few seconds. `failed`: the send failed, and a repeat does not send the " +
        "message.",
      conversation_id: "The conversation of the message.",
      message_id: "The id of the stored message.",
      idempotent_hit: "The request repeats an idempotency key, so nothing was sent.",
      mismatch: MISMATCH,
    } satisfies FieldsOf<typeof Repeat>,
    DoNotContact: {
      success: "Nothing was sent.",
      reason:
        "`do_not_contact` is true for the contact. You can send a free reply after the person writes again.",
    } satisfies FieldsOf<typeof DoNotContact>,
    DryRun: {
      success: "Whether the same request without `dry_run` would return `success: true`.",
      dry_run: "The request was a dry run.",
      outcome: "`send`: the message would be sent. `repeat`: the request repeats an idempotency " +
        "key. `do_not_contact`: the contact must not be contacted. `marketing_opt_out`: the " +
        "template is a marketing template, and the person has opted out of marketing.",
      mismatch: MISMATCH,
    } satisfies FieldsOf<typeof DryRun>,
  },
} satisfies Words;
