import { COMMON, type FieldsOf, type Words } from "../../../_shared/http/api_words.ts";
import type { Send } from "./row.ts";

/** The descriptions of sends in the OpenAPI document. */
export const words = {
  operations: {
    listSends: {
      tag: "Sends",
      summary: "List sends",
      description:
        "Lists template sends and free replies with their outcomes, newest first unless `sort` " +
        "says otherwise. `idempotency_key` finds the send with this key, and returns a list with " +
        "at most one send. `phone` finds the sends to the contact that now has this phone " +
        "number. To follow the status of sends, read `GET /messages/changes`: the `message_id` " +
        "of a send is the id of its message.",
    },
    getSend: {
      tag: "Sends",
      summary: "Get a send",
      description:
        "Returns the outcome of one send, by the `message_id` that the send returned. `state` is " +
        "the state that a repeated request with the same idempotency key would report. `status` " +
        "is the message's status. After its `lease_ends_at`, a `pending` send is returned as " +
        "`failed`, with the reason `outcome_unknown`.",
    },
  },
  schemas: {
    Send: "The outcome of a message that your company sent.",
  },
  fields: {
    Send: {
      message_id: "The id of the message that was sent.",
      company_id: COMMON.company_id,
      conversation_id: "The message's conversation.",
      contact_id: "The message's recipient. After a merge, this is the remaining contact.",
      idempotency_key: "The idempotency key that the caller chose for the send. `null` if the " +
        "caller sent no key.",
      api_key_id:
        "The API key that requested the send, even after the key was deleted. `null` if no API " +
        "key requested the send.",
      kind: "`template`: a template was sent. `reply`: a free reply was sent.",
      template_name: "The template's name. `null` for a reply.",
      language_code: "The template's language. `null` for a reply.",
      state:
        "What the service knows about the call to the channel. `pending`: the call may be in " +
        "progress. `sent`: the channel accepted the message. `failed`: the channel refused the " +
        "message, or never responded. `released`: the channel definitely does not have the " +
        "message, so a repeated request with the same idempotency key sends it again.",
      status: "The `status` of the message, such as `delivered`.",
      attempt:
        "The number of times that the service sent the message to the channel. This number is " +
        "greater than 1 if the send was released and repeated.",
      failure:
        "Why the send failed or was released. The reason remains even if the message arrives " +
        "later. `outcome_unknown`: the channel never responded, and may have sent the message.",
      double_sent: "Whether the channel reported that the message was sent more than once.",
      whatsapp_message_id: "The channel's id for the message. `null` until this id is known.",
      lease_ends_at:
        "The time after which a `pending` send counts as failed, unless its outcome is known " +
        "earlier.",
      sent_at: "When the channel sent the message to the contact, according to the channel.",
      delivered_at: "When the message reached one of the contact's devices.",
      read_at: "When the contact read the message.",
      failed_at: "When the message failed, according to the channel.",
      expired_at: "When the message's lifetime ended, if the channel never reported its arrival.",
      created_at: "When the send was first requested.",
    } satisfies FieldsOf<typeof Send>,
  },
} satisfies Words;
