import { rows } from "../../../_shared/database/rows.ts";
import { table } from "../../../_shared/database/table.ts";
import { ApiError } from "../../../_shared/errors.ts";
import { IdParams } from "../../../_shared/http/fields.ts";
import type { Caller } from "../../../_shared/key/caller.ts";
import { changesOperation } from "../../records/changes_operation.ts";
import { isAnyOf } from "../../records/conditions.ts";
import { choice, optionalChoice, optionalTime, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { oneOf, TEXT, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byTime, newestFirst } from "../../records/sorting.ts";
import { DIRECTIONS, Message, MESSAGE_STATUSES, MESSAGE_TYPES } from "./row.ts";

export const MESSAGE = resource({
  table: table("messages", Message, "own_messages"),
  name: "Message",
  filters: {
    id: choice("id", UUID),
    direction: choice("direction", oneOf(DIRECTIONS)),
    type: choice("type", oneOf(MESSAGE_TYPES)),
    status: optionalChoice("status", oneOf(MESSAGE_STATUSES)),
    whatsapp_message_id: optionalChoice("whatsapp_message_id", TEXT),
    reply_to_id: optionalChoice("reply_to_id", UUID),
    sent_at: optionalTime("sent_at"),
    delivered_at: optionalTime("delivered_at"),
    read_at: optionalTime("read_at"),
    failed_at: optionalTime("failed_at"),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  sorts: { created_at: byTime("created_at") },
  order: newestFirst(),
});

/** See the specification, 4.13 and 4.14. Messages come only from the channel and from sends. */
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

/**
 * Throws an error if the company does not have the conversation. For a conversation without
 * messages, the operation returns an empty list.
 */
async function requireConversation({ reader }: Caller, id: string) {
  const [found] = rows(await reader.from("own_conversations").select("id").eq("id", id));
  if (!found) throw new ApiError("not_found", "Conversation not found");
}
