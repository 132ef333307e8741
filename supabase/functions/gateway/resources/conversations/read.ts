import { changesOperation } from "../../records/changes_operation.ts";
import { choice, optionalChoice, optionalTime, sortedTime, time } from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { CHANNEL_NUMBER, oneOf, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byTime, newestFirst } from "../../records/sorting.ts";
import { CONTACTS } from "../contacts/row.ts";
import { CONVERSATION_STATUSES, CONVERSATIONS } from "./row.ts";

export const CONVERSATION = resource({
  table: CONVERSATIONS,
  name: "Conversation",
  filters: {
    id: choice("id", UUID),
    contact_id: choice("contact_id", UUID),
    phone_number_id: choice("phone_number_id", CHANNEL_NUMBER),
    status: choice("status", oneOf(CONVERSATION_STATUSES)),
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

/**
 * See the specification, 4.9 and 4.13. No operation creates a conversation, because a conversation
 * begins with a message.
 */
export const conversationReads = [
  listOperation({ id: "listConversations", path: "/conversations", resource: CONVERSATION }),

  changesOperation({
    id: "listConversationChanges",
    path: "/conversations/changes",
    resource: CONVERSATION,
    feed: "conversation_changes",
  }),

  readOperation({ id: "getConversation", path: "/conversations/:id", resource: CONVERSATION }),
];
