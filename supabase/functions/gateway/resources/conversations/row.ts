import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import { table } from "../../../_shared/database/table.ts";
import {
  Id,
  MaybeTime,
  PhoneNumberId,
  readOnly,
  ROW_CHANGE,
  ROW_IDS,
} from "../../../_shared/http/fields.ts";

export const CONVERSATION_STATUSES = ["open", "pending", "closed"] as const;

/** A conversation (specification, 2.3). */
export const Conversation = lazily(() =>
  z.object({
    ...ROW_IDS,
    contact_id: Id,
    phone_number_id: readOnly(PhoneNumberId),
    status: z.enum(CONVERSATION_STATUSES),
    assigned_to: z.nullable(Id),
    team_id: z.nullable(Id),
    last_message_at: MaybeTime,
    window_expires_at: MaybeTime,
    ...ROW_CHANGE,
  }).register(z.globalRegistry, { id: "Conversation" })
);

export type Conversation = z.output<typeof Conversation>;

export const CONVERSATIONS = table(
  "conversations",
  Conversation,
  "own_conversations",
  "own_plain_conversations",
);
