import * as z from "zod";
import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { conflict, written, wrongField } from "../../_shared/database/constraints.ts";
import { rows } from "../../_shared/database/rows.ts";
import { table } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import { one, page } from "../../_shared/http/answers.ts";
import {
  atLeastOne,
  Id,
  IdParams,
  readOnly,
  ROW,
  ROW_TIMES,
  Timestamp,
} from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { newestFirst, paging, readPage } from "../../_shared/http/pagination.ts";

/** A conversation; specification, 2.3. */
export const Conversation = z.object({
  ...ROW,
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
const ORDER = newestFirst(CONVERSATIONS);

/** null takes the assignee or the team away. */
const ConversationChanges = atLeastOne(
  Conversation.pick({ assigned_to: true, team_id: true, status: true }).partial().strict(),
).meta({ id: "ConversationChanges" });

/** Specification, 4.9. Conversations begin with a message, so none is created here. */
export const conversations = [
  operation({
    id: "listConversations",
    method: "GET",
    path: "/conversations",
    scope: "read",
    query: paging(ORDER),
    answers: { 200: page(Conversation) },
  }, async ({ caller, query }) => {
    const select = caller.db.from("conversations")
      .select<string, Conversation>(CONVERSATIONS.columns);
    return reply(200, await readPage(caller, select, ORDER, query));
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
    const [data] = await written(
      () =>
        db.from("conversations").update(body).eq("id", id)
          .select<string, Conversation>(CONVERSATIONS.columns),
      broken(db, id),
    );
    if (!data) throw new ApiError("not_found", "Conversation not found");
    return reply(200, { data });
  }),
];

/** What the constraints of the table mean to a caller who updates this conversation. */
function broken(db: CompanyDb, id: string) {
  return {
    conversations_assignee_fkey: wrongField("assigned_to", "is not a member of your company"),
    conversations_team_fkey: wrongField("team_id", "is not a team of your company"),
    conversations_one_not_closed_idx: conflict(
      () => notClosedBeside(db, id),
      "The contact has another conversation on this account that is not closed; close that one first",
    ),
  };
}

/** The conversation that keeps a closed one from being opened again; null when there is none any more. */
async function notClosedBeside(db: CompanyDb, id: string): Promise<string | null> {
  const [closed] = rows(
    await db.from("conversations").select("contact_id, messaging_account_id").eq("id", id),
  );
  if (!closed) return null;
  const [other] = rows(
    await db.from("conversations").select("id").match(closed).neq("status", "closed"),
  );
  return other?.id ?? null;
}
