import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type { Conversation } from "./row.ts";

const conversation: FieldsOf<typeof Conversation> = {
  ...ROW,
  contact_id: "The conversation's contact.",
  phone_number_id:
    "The conversation's messaging account. This is your company's number that the contact writes " +
    "to.",
  status:
    "The conversation's state. On one account, a contact has at most one conversation that is " +
    "not `closed`.",
  assigned_to: "The member of your company who handles the conversation.",
  team_id: "The team of your company that handles the conversation.",
  last_message_at: "When the last message was sent or received.",
  window_expires_at:
    "The time until which your company may send free replies. It is 24 hours after the contact's " +
    "last message on this number, or the time when the channel reported that the window is " +
    "closed.",
};

/** The descriptions of conversations in the OpenAPI document. */
export const words = {
  operations: {
    listConversations: {
      tag: "Conversations",
      summary: "List conversations",
      description:
        "Lists your company's conversations, newest first unless `sort` says otherwise. " +
        "`include=contact` adds each conversation's contact.",
    },
    listConversationChanges: {
      tag: "Conversations",
      summary: "List changes of conversations",
      description:
        "Lists your company's conversations that were created, changed or deleted after the " +
        "cursor. A deleted conversation is returned as a `DeletedRow`. Any other conversation is " +
        "returned in its " +
        'current state. The section "Keep a copy in step" says how to use this list.',
    },
    getConversation: {
      tag: "Conversations",
      summary: "Get a conversation",
      description:
        "Returns one of your company's conversations by id. `include=contact` adds the " +
        "conversation's contact.",
    },
    updateConversation: {
      tag: "Conversations",
      summary: "Assign a conversation or change its status",
      description:
        "Updates at least one field of a conversation. `null` removes the assignee or the team. " +
        "If the contact has another conversation on the same account that is not closed, a " +
        "closed conversation cannot be reopened, and the request returns a 409.",
    },
  },
  schemas: {
    Conversation: "A conversation with a contact.",
    ConversationWithIncluded:
      "A conversation with a contact, with the records that `include` adds.",
    ConversationChanges: "Changes to a conversation.",
  },
  fields: {
    Conversation: conversation,
    ConversationWithIncluded: {
      ...conversation,
      contact: "The conversation's contact. Present only with `include=contact`.",
    },
    ConversationChanges: conversation,
  },
} satisfies Words;
