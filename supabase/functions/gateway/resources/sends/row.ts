import * as z from "zod/mini";
import {
  Id,
  IdempotencyKey,
  ROW_IDS,
  ROW_TIMES,
  Timestamp,
  verbatim,
} from "../../../_shared/http/fields.ts";
import { Message, MessageFailure } from "../messages/row.ts";

const Text = z.string();

const TextOrNull = z.nullable(Text);

/** The fields of a send in the ledger. */
const LEDGER = {
  message_id: Id,
  company_id: ROW_IDS.company_id,
  idempotency_key: z.nullable(IdempotencyKey),
  template_name: z.nullable(verbatim(512)),
  language_code: z.nullable(verbatim(35)),
  state: z.enum(["pending", "sent", "failed", "released"]),
  attempt: z.int().register(z.globalRegistry, { minimum: 1 }),
  whatsapp_message_id: z.nullable(verbatim(255)),
  lease_ends_at: z.nullable(Timestamp),
  created_at: ROW_TIMES.created_at,
};

export const StoredSend = z.object({
  ...LEDGER,
  reason: TextOrNull,
  channel_code: z.nullable(z.int()),
  double_sent_ids: z.array(Text),
});

/** The fields of the message of a send: what the channel has reported about it. */
export const MessageFacts = z.pick(Message, {
  conversation_id: true,
  status: true,
  failure: true,
  sent_at: true,
  delivered_at: true,
  read_at: true,
  failed_at: true,
  expired_at: true,
});

export type MessageFacts = z.output<typeof MessageFacts>;

const { sent_at, delivered_at, read_at, failed_at, expired_at } = Message.shape;

/** The outcome of a send of a template or a free reply. */
export const Send = z.object({
  message_id: LEDGER.message_id,
  company_id: LEDGER.company_id,
  conversation_id: Id,
  idempotency_key: LEDGER.idempotency_key,
  kind: z.enum(["template", "reply"]),
  template_name: LEDGER.template_name,
  language_code: LEDGER.language_code,
  state: LEDGER.state,
  status: Message.shape.status.def.innerType,
  attempt: LEDGER.attempt,
  failure: z.nullable(MessageFailure),
  double_sent: z.boolean(),
  whatsapp_message_id: LEDGER.whatsapp_message_id,
  lease_ends_at: LEDGER.lease_ends_at,
  ...{ sent_at, delivered_at, read_at, failed_at, expired_at },
  created_at: LEDGER.created_at,
}).register(z.globalRegistry, { id: "Send" });
