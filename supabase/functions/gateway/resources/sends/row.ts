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

const { status, sent_at, delivered_at, read_at, failed_at, expired_at } = Message.shape;

/** The outcome of a template send or a free reply. */
export const Send = z.object({
  message_id: Id,
  company_id: ROW_IDS.company_id,
  conversation_id: Id,
  contact_id: Id,
  idempotency_key: z.nullable(IdempotencyKey),
  api_key_id: z.nullable(Id),
  kind: z.enum(["template", "reply"]),
  template_name: z.nullable(verbatim(512)),
  language_code: z.nullable(verbatim(35)),
  state: z.enum(["pending", "sent", "failed", "released"]),
  status: status.def.innerType,
  attempt: z.int().register(z.globalRegistry, { minimum: 1 }),
  failure: z.nullable(MessageFailure),
  double_sent: z.boolean(),
  whatsapp_message_id: z.nullable(verbatim(255)),
  lease_ends_at: z.nullable(Timestamp),
  ...{ sent_at, delivered_at, read_at, failed_at, expired_at },
  created_at: ROW_TIMES.created_at,
}).register(z.globalRegistry, { id: "Send" });
