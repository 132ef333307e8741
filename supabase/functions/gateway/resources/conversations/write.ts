import * as z from "zod/mini";
import type { CompanyDb } from "../../../_shared/database/company_db.ts";
import { writeIfMatch } from "../../../_shared/database/conditional_write.ts";
import { conflict, writeRows, wrongField } from "../../../_shared/database/constraints.ts";
import { rows } from "../../../_shared/database/rows.ts";
import { ApiError } from "../../../_shared/errors.ts";
import { one } from "../../../_shared/http/answers.ts";
import { atLeastOne, described, IdParams } from "../../../_shared/http/fields.ts";
import { built, lazily } from "../../../_shared/lazily.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import { recordOfRow } from "../../records/written.ts";
import { Conversation } from "./row.ts";

/** `null` removes the assignee or the team. */
const ConversationChanges = lazily(() =>
  described(
    atLeastOne(
      z.strictObject(
        z.partial(z.pick(built(Conversation), { assigned_to: true, team_id: true, status: true }))
          .shape,
      ),
    ),
    { id: "ConversationChanges" },
  )
);

/**
 * See the specification, 4.9 and 4.13. No operation creates a conversation, because a conversation
 * begins with a message.
 */
export const conversationWrites = [
  operation({
    id: "updateConversation",
    method: "PATCH",
    path: "/conversations/:id",
    scope: "write",
    params: IdParams,
    body: ConversationChanges,
    mergePatch: ConversationChanges,
    changes: { table: "conversations" },
    answers: () => ({ 200: one(Conversation) }),
    conditional: true,
    errors: ["not_found", "conflict"],
  }, async ({ caller: { db }, params: { id }, body, ifMatch }) => {
    const [data] = await writeIfMatch(ifMatch, (version) =>
      writeRows(
        () => db.from("conversations").update({ ...body, ...version }).eq("id", id).select(),
        constraintMeanings(db, id),
      ));
    if (!data) throw new ApiError("not_found", "Conversation not found");
    return reply(200, { data: recordOfRow(Conversation, data) });
  }),
];

/** The error messages for the constraints that an update of this conversation can violate. */
function constraintMeanings(db: CompanyDb, id: string) {
  return {
    conversations_assignee_fkey: wrongField("assigned_to", "is not a member of your company"),
    conversations_team_fkey: wrongField("team_id", "is not a team of your company"),
    conversations_one_not_closed_idx: conflict(
      async () => rows(await db.rpc("other_conversation_not_closed", { conversation_id: id })),
      "The contact has another conversation on this account that is not closed; close that conversation first",
    ),
  };
}
