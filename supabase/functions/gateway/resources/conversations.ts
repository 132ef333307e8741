import * as z from "zod";
import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { writeIfMatch } from "../../_shared/database/conditional_write.ts";
import { conflict, writeRows, wrongField } from "../../_shared/database/constraints.ts";
import { rows } from "../../_shared/database/rows.ts";
import { asInView, table } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import { one } from "../../_shared/http/answers.ts";
import {
  atLeastOne,
  Id,
  IdParams,
  PhoneNumberId,
  readOnly,
  ROW_CHANGE,
  ROW_IDS,
  Timestamp,
} from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { choice, optionalChoice, optionalTime, sortedTime, time } from "../records/filters.ts";
import { changesOperation } from "../records/changes_operation.ts";
import { listOperation } from "../records/list_operation.ts";
import { CHANNEL_NUMBER, oneOf, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { byTime, newestFirst } from "../records/sorting.ts";
import { CONTACTS } from "./contacts.ts";

/** A conversation; specification, 2.3. */
export const Conversation = z.object({
  ...ROW_IDS,
  contact_id: Id,
  phone_number_id: readOnly(PhoneNumberId),
  status: z.enum(["open", "pending", "closed"]),
  assigned_to: Id.nullable(),
  team_id: Id.nullable(),
  last_message_at: readOnly(Timestamp.nullable()),
  window_expires_at: readOnly(Timestamp.nullable()),
  ...ROW_CHANGE,
}).meta({ id: "Conversation" });
type Conversation = z.output<typeof Conversation>;

const CONVERSATIONS = table("conversations", Conversation, "own_conversations");

export const CONVERSATION = resource({
  table: CONVERSATIONS,
  name: "Conversation",
  filters: {
    id: choice("id", UUID),
    contact_id: choice("contact_id", UUID),
    phone_number_id: choice("phone_number_id", CHANNEL_NUMBER),
    status: choice("status", oneOf(Conversation.shape.status.options)),
    assigned_to: optionalChoice("assigned_to", UUID),
    team_id: optionalChoice("team_id", UUID),
    last_message_at: sortedTime("last_message_sort"),
    window_expires_at: optionalTime("window_expires_at"),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  sorts: {
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
    last_message_at: byTime("last_message_sort"),
  },
  order: newestFirst(),
  includes: { contact: { table: CONTACTS } },
});

/** null removes the assignee or the team. */
const ConversationChanges = atLeastOne(
  Conversation.pick({ assigned_to: true, team_id: true, status: true }).partial().strict(),
).meta({ id: "ConversationChanges" });

/** Specification, 4.9 and 4.13. A conversation begins with a message, so no operation here creates one. */
export const conversations = [
  listOperation({ id: "listConversations", path: "/conversations", resource: CONVERSATION }),

  changesOperation({
    id: "listConversationChanges",
    path: "/conversations/changes",
    resource: CONVERSATION,
    feed: "conversation_changes",
  }),

  readOperation({ id: "getConversation", path: "/conversations/:id", resource: CONVERSATION }),

  operation({
    id: "updateConversation",
    method: "PATCH",
    path: "/conversations/:id",
    scope: "write",
    params: IdParams,
    body: ConversationChanges,
    mergePatch: ConversationChanges,
    answers: { 200: one(Conversation) },
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, body, ifMatch }) => {
    const [data] = await writeIfMatch(ifMatch, (version) =>
      writeRows(
        () =>
          db.from("conversations").update({ ...body, ...version }).eq("id", id)
            .select<string, Conversation>(CONVERSATIONS.columns),
        constraintMeanings(db, id),
      ));
    if (!data) throw new ApiError("not_found", "Conversation not found");
    return reply(200, { data: asInView(data) });
  }),
];

/** The meanings of the constraints that an update of this conversation can break. */
function constraintMeanings(db: CompanyDb, id: string) {
  return {
    conversations_assignee_fkey: wrongField("assigned_to", "is not a member of your company"),
    conversations_team_fkey: wrongField("team_id", "is not a team of your company"),
    conversations_one_not_closed_idx: conflict(
      async () => rows(await db.rpc("other_conversation_not_closed", { conversation_id: id })),
      "The contact has another conversation on this account that is not closed; close that one first",
    ),
  };
}
