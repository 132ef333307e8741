import * as z from "zod/mini";
import { Id, IdempotencyKey, required, verbatim } from "../../_shared/http/fields.ts";

/** The body of a free reply. */
export const ReplyRequest = z.strictObject({
  conversation_id: Id,
  text: required(verbatim(4096)),
  idempotency_key: z.optional(IdempotencyKey),
}).register(z.globalRegistry, { id: "ReplyRequest" });
export type ReplyRequest = z.output<typeof ReplyRequest>;
