import * as z from "zod";
import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { conflict, writeRows, wrongField } from "../../_shared/database/constraints.ts";
import { rows } from "../../_shared/database/rows.ts";
import { table } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import { one } from "../../_shared/http/answers.ts";
import { changesOperation } from "../../_shared/http/changes_operation.ts";
import {
  atLeastOne,
  Id,
  IdParams,
  readOnly,
  ROW_IDS,
  ROW_TIMES,
  Timestamp,
} from "../../_shared/http/fields.ts";
import { listOperation } from "../../_shared/http/list_operation.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { newestFirst } from "../../_shared/http/pagination.ts";
import { readOperation } from "../../_shared/http/read_operation.ts";

/** A conversation; specification, 2.3. */
export const Conversation = z.object({
  ...ROW_IDS,
  contact_id: Id,
  status: z.enum(["open", "pending", "closed"]),
  assigned_to: Id.nullable(),
  team_id: Id.nullable(),
  last_message_at: readOnly(Timestamp.nullable()),
  window_expires_at: readOnly(Timestamp.nullable()),
  ...ROW_TIMES,
}).meta({ id: "Conversation" });
type Conversation = z.output<typeof Conversation>;

const CONVERSATIONS = table("conversations", Conversation);

/** null removes the assignee or the team. */
const ConversationChanges = atLeastOne(
  Conversation.pick({ assigned_to: true, team_id: true, status: true }).partial().strict(),
).meta({ id: "ConversationChanges" });

/** Specification, 4.9 and 4.13. A conversation begins with a message, so no operation here creates one. */
export const conversations = [
  listOperation({
    id: "listConversations",
    path: "/conversations",
    order: newestFirst(CONVERSATIONS),
  }),

  changesOperation({
    id: "listConversationChanges",
    path: "/conversations/changes",
    table: CONVERSATIONS,
    feed: "conversation_changes",
  }),

  readOperation({
    id: "getConversation",
    path: "/conversations/:id",
    table: CONVERSATIONS,
    name: "Conversation",
  }),

  operation({
    id: "updateConversation",
    method: "PATCH",
    path: "/conversations/:id",
    scope: "write",
    params: IdParams,
    body: ConversationChanges,
    answers: { 200: one(Conversation) },
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, body }) => {
    const [data] = await writeRows(
      () =>
        db.from("conversations").update(body).eq("id", id)
          .select<string, Conversation>(CONVERSATIONS.columns),
      constraintMeanings(db, id),
    );
    if (!data) throw new ApiError("not_found", "Conversation not found");
    return reply(200, { data });
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
