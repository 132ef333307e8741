import * as z from "zod/mini";
import { table } from "../../../_shared/database/table.ts";
import {
  Id,
  PhoneNumberId,
  readOnly,
  ROW_CHANGE,
  ROW_IDS,
  Timestamp,
} from "../../../_shared/http/fields.ts";

/** A conversation (specification, 2.3). */
export const Conversation = z.object({
  ...ROW_IDS,
  contact_id: Id,
  phone_number_id: readOnly(PhoneNumberId),
  status: z.enum(["open", "pending", "closed"]),
  assigned_to: z.nullable(Id),
  team_id: z.nullable(Id),
  last_message_at: readOnly(z.nullable(Timestamp)),
  window_expires_at: readOnly(z.nullable(Timestamp)),
  ...ROW_CHANGE,
}).register(z.globalRegistry, { id: "Conversation" });

export type Conversation = z.output<typeof Conversation>;

export const CONVERSATIONS = table(
  "conversations",
  Conversation,
  "own_conversations",
  "own_plain_conversations",
);
