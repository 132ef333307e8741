import { Hono } from "hono";
import * as z from "zod";
import type { ApiEnv } from "../../_shared/key/authenticate.ts";
import { type CompanyDb, rows } from "../../_shared/database/company_db.ts";
import { rowsUnlessTaken } from "../../_shared/database/conflict.ts";
import { ApiError } from "../../_shared/errors.ts";
import { atLeastOne } from "../../_shared/http/fields.ts";
import { newestFirst, paging, respondWithPage } from "../../_shared/http/pagination.ts";
import { unlessReferenceBroken } from "../../_shared/database/references.ts";
import { readBody, readId, readQuery } from "../../_shared/http/validate.ts";

const CONVERSATION =
  "id, company_id, contact_id, status, assigned_to, team_id, last_message_at, window_expires_at, created_at, updated_at";

const ORDER = newestFirst("conversations");
const ConversationQuery = paging(ORDER);

/** null takes the assignee or the team away. */
const ConversationChanges = atLeastOne(
  z.strictObject({
    assigned_to: z.guid().nullable(),
    team_id: z.guid().nullable(),
    status: z.enum(["open", "pending", "closed"]),
  }).partial(),
);

/** Specification, 4.9. Conversations begin with a message, so there is none to create here. */
export const conversations = new Hono<ApiEnv>()
  .get("/", async (c) => {
    const page = readQuery(c, ConversationQuery);
    const query = c.var.db.from("conversations").select(CONVERSATION);
    return await respondWithPage(c, query, ORDER, page);
  })
  .patch("/:id", async (c) => {
    const id = readId(c);
    const changes = await readBody(c, ConversationChanges);
    const answer = rowsUnlessTaken(
      () => c.var.db.from("conversations").update(changes).eq("id", id).select(CONVERSATION),
      "conversations_one_not_closed_idx",
      () => notClosedBeside(c.var.db, id),
      "The contact has another conversation on this account that is not closed; close that one first",
    );
    const [data] = await unlessReferenceBroken(answer, {
      conversations_assignee_fkey: {
        field: "assigned_to",
        message: "is not a member of your company",
      },
      conversations_team_fkey: { field: "team_id", message: "is not a team of your company" },
    });
    if (!data) throw new ApiError("not_found", "Conversation not found");
    return c.json({ data });
  });

/** The conversation that keeps a closed one from being opened again; null when it does no more. */
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
