import * as z from "zod";
import { rows } from "../../_shared/database/rows.ts";
import { table } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import { Id, IdParams, ROW_IDS, ROW_TIMES, verbatim } from "../../_shared/http/fields.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { isAnyOf } from "../records/conditions.ts";
import { choice, optionalChoice, time } from "../records/filters.ts";
import { changesOperation } from "../records/changes_operation.ts";
import { listOperation } from "../records/list_operation.ts";
import { oneOf, TEXT, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { byTime, newestFirst } from "../records/sorting.ts";

/** A message of a conversation; specification, 2.5. */
export const Message = z.object({
  ...ROW_IDS,
  conversation_id: Id,
  direction: z.enum(["inbound", "outbound"]),
  type: z.enum(["text", "image", "video", "document"]),
  content: verbatim(4096),
  rendered_text: verbatim(65_536).nullable(),
  status: z.enum(["pending", "accepted", "sent", "delivered", "read", "failed", "expired"])
    .nullable(),
  whatsapp_message_id: verbatim(255).nullable(),
  ...ROW_TIMES,
}).meta({ id: "Message" });

const MESSAGE = resource({
  table: table("messages", Message, "own_messages"),
  name: "Message",
  filters: {
    id: choice("id", UUID),
    direction: choice("direction", oneOf(Message.shape.direction.options)),
    type: choice("type", oneOf(Message.shape.type.options)),
    status: optionalChoice("status", oneOf(Message.shape.status.unwrap().options)),
    whatsapp_message_id: optionalChoice("whatsapp_message_id", TEXT),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  sorts: { created_at: byTime("created_at") },
  order: newestFirst(),
});

/** Specification, 4.13 and 4.14. Only the channel and template sends make messages. */
export const messages = [
  listOperation({
    id: "listMessages",
    path: "/conversations/:id/messages",
    resource: MESSAGE,
    params: IdParams,
    within: ({ id }) => isAnyOf("conversation_id", [id]),
    whenEmpty: async ({ caller, params }) => await requireConversation(caller, params.id),
    errors: ["not_found"],
  }),

  changesOperation({
    id: "listMessageChanges",
    path: "/messages/changes",
    resource: MESSAGE,
    feed: "message_changes",
  }),

  readOperation({ id: "getMessage", path: "/messages/:id", resource: MESSAGE }),
];

/** Refuses a conversation that the company does not have. One without messages is an empty list. */
async function requireConversation({ reader }: Caller, id: string) {
  const [found] = rows(await reader.from("own_conversations").select("id").eq("id", id));
  if (!found) throw new ApiError("not_found", "Conversation not found");
}
