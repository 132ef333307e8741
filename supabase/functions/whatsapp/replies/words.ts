import type { FieldsOf, Words } from "../../_shared/http/api_words.ts";
import type { MessageRead, ReadRequest } from "./mark_read.ts";
import type { ReactedMessage, ReactionRequest } from "./react.ts";
import type {
  ReplyButton,
  ReplyList,
  ReplyListRow,
  ReplyListSection,
  ReplyMedia,
  ReplyRequest,
} from "./reply_request.ts";

/** The texts about free replies in the API's description. */
export const words = {
  operations: {
    sendReply: {
      tag: "Conversations",
      summary: "Reply in a conversation",
      description:
        "Sends a text, a file, buttons or a list in a conversation. The conversation's window must " +
        "be open: it closes at `window_expires_at`, 24 hours after the person's last message. " +
        "After that, the request returns a 409 `window_closed`, and only a template can be sent. " +
        "**Always check `success`**, and give every message an `idempotency_key`, as for a " +
        "template send.",
    },
    markMessageRead: {
      tag: "Conversations",
      summary: "Mark a message as read",
      description:
        "Shows the person that your company has read the message. WhatsApp also marks all " +
        "earlier messages of the conversation as read, and these messages get a `read_at` too. A " +
        "request sets at most 1,000 `read_at`, newest first, and a repeat sets the next ones. A " +
        "repeat does no harm. A reply never marks anything as read by itself.",
    },
    reactToMessage: {
      tag: "Conversations",
      summary: "React to a message",
      description:
        "Puts your company's emoji on a message of the conversation, in place of an earlier emoji. " +
        "The window must be open, as for a reply. A repeat does no harm. If WhatsApp reports " +
        "later that it did not deliver the reaction, `own_reaction` of the message becomes `null`.",
    },
    removeReaction: {
      tag: "Conversations",
      summary: "Remove a reaction",
      description:
        "Removes your company's emoji from a message. The window must be open. If the message has " +
        "no reaction of your company, the request does no harm.",
    },
  },
  schemas: {
    ReactionRequest: "A reaction to a message.",
    ReactedMessage: "A message that has your company's reaction.",
    ReadRequest: "How a message is marked as read.",
    MessageRead: "A message of a person that your company has read.",
    ReplyRequest: "A free reply to send: a text, or a file, buttons or a list with a text.",
    ReplyMedia: "The file of a reply: an upload, or a URL that the channel fetches itself.",
    ReplyButton: "A button that the person can tap.",
    ReplyList: "A list of choices, which opens when the person taps its button.",
    ReplyListSection: "A section of a list: choices that belong together.",
    ReplyListRow: "One choice of a list.",
    ReplyAnswer: "The result of the request.",
  },
  fields: {
    ReadRequest: {
      typing:
        "`true` also shows the person that someone is typing: for 25 seconds, or until your next " +
        "message. A repeat begins the 25 seconds again.",
    } satisfies FieldsOf<typeof ReadRequest>,
    MessageRead: {
      id: "The id of the message.",
      read_at: "When the message was first marked as read.",
      typing: "Whether the person sees that someone is typing.",
    } satisfies FieldsOf<typeof MessageRead>,
    ReactionRequest: {
      emoji: "Exactly one emoji. It may have a skin tone, or be a flag.",
    } satisfies FieldsOf<typeof ReactionRequest>,
    ReactedMessage: {
      id: "The id of the message.",
      own_reaction: "Your company's reaction.",
    } satisfies FieldsOf<typeof ReactedMessage>,
    ReplyRequest: {
      conversation_id: "The conversation to reply in. It must not be closed.",
      text:
        "The text of the message, sent byte for byte. With `media` it is the caption: optional, " +
        "at most 1,024 characters, and not allowed with audio. With `buttons` it has at most 1,024 " +
        "characters.",
      idempotency_key:
        "A key that you choose for this send. It never expires: a repeat with the same key sends " +
        "nothing. " +
        "A key of a template send cannot be used again for a free reply.",
      media: "The file of the message. `media`, `buttons` and `list` cannot be combined.",
      reply_to_id:
        "The id of the message that the reply refers to. It must be in the same conversation. The " +
        "person sees that message above the reply.",
      buttons: "Up to three buttons below the text. Each must have its own id and its own title. " +
        "When the person taps a button, you receive a message of the type `interactive`.",
      list:
        "A list of up to ten choices. When the person selects a choice, you receive a message of " +
        "the type `interactive`.",
    } satisfies FieldsOf<typeof ReplyRequest>,
    ReplyMedia: {
      id: "The id of an upload of the conversation's phone number.",
      link: "An https URL that the channel fetches. A problem with the file is reported later: " +
        "the message becomes `failed`. An upload is better.",
      type: "The kind of the file at `link`.",
      filename:
        "The name that the person sees. Only for a document; the default is the name of the upload.",
      voice:
        "`true` sends audio as a voice note. The file must be Ogg with Opus. A file of at most " +
        "512 KB is shown with a play button.",
    } satisfies FieldsOf<typeof ReplyMedia>,
    ReplyButton: {
      id: "Your own id for the choice. The person does not see it.",
      title: "What the person sees.",
    } satisfies FieldsOf<typeof ReplyButton>,
    ReplyList: {
      button: "The button that opens the list.",
      sections:
        "The sections of the list. All sections together have at most ten rows, and each row has " +
        "its own id.",
    } satisfies FieldsOf<typeof ReplyList>,
    ReplyListSection: {
      title: "The title of the section. Required when there are several sections.",
      rows: "The choices in the section.",
    } satisfies FieldsOf<typeof ReplyListSection>,
    ReplyListRow: {
      id: "Your own id for the choice. The person does not see it.",
      title: "What the person sees.",
      description: "A line below the title.",
    } satisfies FieldsOf<typeof ReplyListRow>,
  },
} satisfies Words;
