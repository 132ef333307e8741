import { COMMON, type FieldsOf, type Words } from "../../../_shared/http/api_words.ts";
import type { Send } from "./row.ts";

/** The texts about sends in the API's description. */
export const words = {
  operations: {
    listSends: {
      tag: "Sends",
      summary: "List sends",
      description:
        "Lists the sends of templates and free replies, newest first unless `sort` says otherwise, " +
        "and what happened to each of them. `idempotency_key` finds the send with this key: a " +
        "list with one send or none. `phone` finds the sends to the person who has this phone " +
        "now. To follow what happens to sends, read `GET /messages/changes`: the `message_id` of " +
        "a send is the id of its message.",
    },
    getSend: {
      tag: "Sends",
      summary: "Get a send",
      description:
        "Returns what happened to the send of one message, by the `message_id` that the send " +
        "returned. `state` is the state that a repeat with the same idempotency key would report; " +
        "`status` is the status of the message. After its `lease_ends_at`, a `pending` send is " +
        "shown as `failed`, with the reason `outcome_unknown`.",
    },
  },
  schemas: {
    Send: "What happened to a message that your company sent.",
  },
  fields: {
    Send: {
      message_id: "The message that was sent.",
      company_id: COMMON.company_id,
      conversation_id: "The conversation of the message.",
      contact_id: "The recipient of the message. After a merge, this is the remaining contact.",
      idempotency_key: "The caller's name for the send; `null` when the caller gave none.",
      api_key_id:
        "The API key that requested the send, even after the key was deleted. `null` when no " +
        "API key requested it.",
      kind: "`template`: a template was sent. `reply`: a free reply was sent.",
      template_name: "The name of the template; `null` for a reply.",
      language_code: "The language of the template; `null` for a reply.",
      state:
        "What the service knows about the call to the channel. `pending`: the call may be in " +
        "progress. `sent`: the channel accepted the message. `failed`: the channel refused the " +
        "message, or never answered. `released`: the channel certainly does not have the " +
        "message, and a repeat with the same idempotency key sends it again.",
      status: "The `status` of the message, such as `delivered`.",
      attempt:
        "How many times the service sent the message to the channel. It is more than 1 when the " +
        "send was released and repeated.",
      failure: "Why the send failed or was released. The reason stays here even when the message " +
        "arrives later. `outcome_unknown`: the channel never answered, and may have sent the " +
        "message.",
      double_sent: "Whether the channel reported that the message was sent more than once.",
      whatsapp_message_id: "The channel's id of the message; `null` until it is known.",
      lease_ends_at:
        "For a `pending` send: after this time, the send counts as failed, unless its outcome is " +
        "known earlier.",
      sent_at: "When the channel passed the message on to the person, as the channel reported.",
      delivered_at: "When the message reached one of the person's devices.",
      read_at: "When the person read the message.",
      failed_at: "When the message failed, according to the channel.",
      expired_at:
        "When the lifetime of the message ended, if the channel never reported that it arrived.",
      created_at: "When the send was first requested.",
    } satisfies FieldsOf<typeof Send>,
  },
} satisfies Words;
