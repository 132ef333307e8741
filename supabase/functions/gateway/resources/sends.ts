import * as z from "zod";
import { table } from "../../_shared/database/table.ts";
import {
  Id,
  IdempotencyKey,
  ROW_IDS,
  ROW_TIMES,
  Timestamp,
  verbatim,
} from "../../_shared/http/fields.ts";
import { lookupOperation } from "../records/lookup_operation.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { newestFirst } from "../records/sorting.ts";
import { Message, MessageFailure } from "./messages.ts";

const Text = z.string();
const TextOrNull = Text.nullable();

/** What the ledger has of a send. */
const LEDGER = {
  message_id: Id,
  company_id: ROW_IDS.company_id,
  idempotency_key: IdempotencyKey.nullable(),
  template_name: verbatim(512).nullable(),
  language_code: verbatim(35).nullable(),
  state: z.enum(["pending", "sent", "failed", "released"]),
  attempt: z.int().meta({ minimum: 1 }),
  whatsapp_message_id: verbatim(255).nullable(),
  lease_ends_at: Timestamp.nullable(),
  created_at: ROW_TIMES.created_at,
};

const StoredSend = z.object({
  ...LEDGER,
  reason: TextOrNull,
  channel_code: z.int().nullable(),
  double_sent_ids: z.array(Text),
});

/** What its message has: what the channel reported since. */
const MessageFacts = Message.pick({
  conversation_id: true,
  status: true,
  failure: true,
  sent_at: true,
  delivered_at: true,
  read_at: true,
  failed_at: true,
  expired_at: true,
});
type MessageFacts = z.output<typeof MessageFacts>;

const { sent_at, delivered_at, read_at, failed_at, expired_at } = Message.shape;

/** What became of a send, of a template or of a free reply. */
export const Send = z.object({
  message_id: LEDGER.message_id,
  company_id: LEDGER.company_id,
  conversation_id: Id,
  idempotency_key: LEDGER.idempotency_key,
  kind: z.enum(["template", "reply"]),
  template_name: LEDGER.template_name,
  language_code: LEDGER.language_code,
  state: LEDGER.state,
  status: Message.shape.status.unwrap(),
  attempt: LEDGER.attempt,
  error: MessageFailure.nullable(),
  double_sent: z.boolean(),
  whatsapp_message_id: LEDGER.whatsapp_message_id,
  lease_ends_at: LEDGER.lease_ends_at,
  ...{ sent_at, delivered_at, read_at, failed_at, expired_at },
  created_at: LEDGER.created_at,
}).meta({ id: "Send" });

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

/** Specification, 4.18. The ledger says whether the channel took a send, and its message what came of it. */
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
  // The ledger keeps the channel's code, and not its words.
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
    // The message of a send whose lease has ended fails only once the ledger is told.
    status: state === "failed" && message.status === "pending" ? "failed" : message.status!,
    attempt: send.attempt,
    error: message.failure ?? (refusal || null),
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
