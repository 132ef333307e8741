import * as z from "zod";
import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { rows } from "../../_shared/database/rows.ts";
import { table } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import { page } from "../../_shared/http/answers.ts";
import { changesOperation } from "../../_shared/http/changes_operation.ts";
import { Id, IdParams, ROW_IDS, ROW_TIMES, verbatim } from "../../_shared/http/fields.ts";
import { operation, reply } from "../../_shared/http/operation.ts";
import { newestFirst, paging, readPage } from "../../_shared/http/pagination.ts";
import { readOperation } from "../../_shared/http/read_operation.ts";

const FIELDS = {
  ...ROW_IDS,
  conversation_id: Id,
  direction: z.enum(["inbound", "outbound"]),
  type: z.enum(["text", "image", "video", "document"]),
  content: verbatim(4096),
  rendered_text: verbatim(65_536).nullable(),
};
const CHANNEL_ID = { whatsapp_message_id: verbatim(255).nullable() };

/** A message of a conversation; specification, 2.5. */
export const Message = z.object({
  ...FIELDS,
  status: z.enum(["pending", "accepted", "failed"]).nullable(),
  ...CHANNEL_ID,
  ...ROW_TIMES,
}).meta({ id: "Message" });
type Message = z.output<typeof Message>;

/** The row. It says `sent` where a caller sees `accepted`. */
const StoredMessage = z.object({
  ...FIELDS,
  status: z.enum(["pending", "sent", "failed"]).nullable(),
  ...CHANNEL_ID,
  ...ROW_TIMES,
});
type StoredMessage = z.output<typeof StoredMessage>;

const MESSAGES = table("messages", StoredMessage);
const ORDER = newestFirst(MESSAGES);

/** Specification, 4.13 and 4.14. Only the channel and template sends make messages. */
export const messages = [
  operation({
    id: "listMessages",
    method: "GET",
    path: "/conversations/:id/messages",
    scope: "read",
    params: IdParams,
    query: paging(ORDER),
    answers: { 200: page(Message) },
    errors: ["not_found"],
  }, async ({ caller, params: { id }, query }) => {
    const select = caller.db.from("messages").select<string, StoredMessage>(MESSAGES.columns)
      .eq("conversation_id", id);
    const whenEmpty = () => requireConversation(caller.db, id);
    const { data, pagination } = await readPage(caller, select, ORDER, query, whenEmpty);
    return reply(200, { data: data.map(answered), pagination });
  }),

  changesOperation({
    id: "listMessageChanges",
    path: "/messages/changes",
    table: MESSAGES,
    feed: "message_changes",
    answered: { schema: Message, of: answered },
  }),

  readOperation({
    id: "getMessage",
    path: "/messages/:id",
    table: MESSAGES,
    name: "Message",
    answered: { schema: Message, of: answered },
  }),
];

/** A row as callers see it: "sent" is the channel's own word for a later state, so it is not used for this one. */
function answered({ status, ...others }: StoredMessage): Message {
  const { whatsapp_message_id, created_at, updated_at, ...fields } = others;
  return {
    ...fields,
    status: status === "sent" ? "accepted" : status,
    ...{ whatsapp_message_id, created_at, updated_at },
  };
}

/** Refuses a conversation that the company does not have. One without messages is an empty list. */
async function requireConversation(db: CompanyDb, id: string) {
  const [found] = rows(await db.from("conversations").select("id").eq("id", id));
  if (!found) throw new ApiError("not_found", "Conversation not found");
}
