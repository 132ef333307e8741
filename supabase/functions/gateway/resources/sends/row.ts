import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import {
  Id,
  IdempotencyKey,
  MaybeTime,
  ROW_IDS,
  ROW_TIMES,
  Timestamp,
  verbatim,
} from "../../../_shared/http/fields.ts";
import { MESSAGE_STATUSES, MessageFailure } from "../messages/row.ts";

export const SEND_STATES = ["pending", "sent", "failed", "released"] as const;

/** The outcome of a template send or a free reply. */
export const Send = lazily(() =>
  z.object({
    message_id: Id,
    company_id: ROW_IDS.company_id,
    conversation_id: Id,
    contact_id: Id,
    idempotency_key: z.nullable(IdempotencyKey),
    api_key_id: z.nullable(Id),
    kind: z.enum(["template", "reply"]),
    template_name: z.nullable(verbatim(512)),
    language_code: z.nullable(verbatim(35)),
    state: z.enum(SEND_STATES),
    status: z.enum(MESSAGE_STATUSES),
    attempt: z.int().register(z.globalRegistry, { minimum: 1 }),
    failure: z.nullable(MessageFailure),
    double_sent: z.boolean(),
    whatsapp_message_id: z.nullable(verbatim(255)),
    lease_ends_at: z.nullable(Timestamp),
    sent_at: MaybeTime,
    delivered_at: MaybeTime,
    read_at: MaybeTime,
    failed_at: MaybeTime,
    expired_at: MaybeTime,
    created_at: ROW_TIMES.created_at,
  }).register(z.globalRegistry, { id: "Send" })
);
