import * as z from "zod/mini";
import { Id } from "../../../_shared/http/fields.ts";
import { lazily, type ObjectSchema } from "../../../_shared/lazily.ts";
import { Contact } from "../contacts/row.ts";
import { Conversation } from "../conversations/row.ts";
import { Deal } from "../deals/row.ts";

/** Returns the schema of a record that matches a search. @param id the schema's name. */
function found<Row extends ObjectSchema>(type: string, row: Row, id: string) {
  return z.object({ type: z.literal(type), id: Id, label: z.string(), row })
    .register(z.globalRegistry, { id });
}

export const Found = lazily(() =>
  z.union([
    found("contact", Contact, "FoundContact"),
    found("deal", Deal, "FoundDeal"),
    found("conversation", Conversation, "FoundConversation"),
  ])
);
