import * as z from "zod/mini";
import { table } from "../../../_shared/database/table.ts";
import { IdempotencyKey } from "../../../_shared/http/fields.ts";
import { lookupOperation } from "../../records/lookup_operation.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { newestFirst } from "../../records/sorting.ts";
import { MessageFacts, Send, StoredSend } from "./row.ts";

export const SEND = resource({
  table: table("sends", StoredSend, "own_sends"),
  name: "Send",
  answered: {
    schema: Send,
    beside: { message: table("messages", MessageFacts, "own_messages") },
    of: (row) => sendOf(row as z.output<typeof StoredSend> & { message: MessageFacts }),
  },
  filters: {},
  sorts: {},
  order: newestFirst("message_id"),
});

/**
 * The ledger says whether the channel accepted a send. The send's message says what happened
 * afterwards (specification, 4.18).
 */
export const sends = [
  lookupOperation({
    id: "findSend",
    path: "/sends",
    resource: SEND,
    by: "idempotency_key",
    value: IdempotencyKey,
  }),

  readOperation({ id: "getSend", path: "/sends/:message_id", resource: SEND, by: "message_id" }),
];

function sendOf(
  { message, ...send }: z.output<typeof StoredSend> & { message: MessageFacts },
): z.output<typeof Send> {
  const { reason, state } = send;
  // The ledger stores the channel's code, but not the channel's words.
  const refusal = reason && { reason, code: send.channel_code, message: null, details: null };
  return {
    message_id: send.message_id,
    company_id: send.company_id,
    conversation_id: message.conversation_id,
    idempotency_key: send.idempotency_key,
    kind: send.template_name === null ? "reply" : "template",
    template_name: send.template_name,
    language_code: send.language_code,
    state,
    // After the lease of a send has ended, its message still says `pending` until the ledger is
    // updated.
    status: state === "failed" && message.status === "pending" ? "failed" : message.status!,
    attempt: send.attempt,
    failure: message.failure ?? (refusal || null),
    double_sent: send.double_sent_ids.length > 0,
    whatsapp_message_id: send.whatsapp_message_id,
    lease_ends_at: send.lease_ends_at,
    sent_at: message.sent_at,
    delivered_at: message.delivered_at,
    read_at: message.read_at,
    failed_at: message.failed_at,
    expired_at: message.expired_at,
    created_at: send.created_at,
  };
}
