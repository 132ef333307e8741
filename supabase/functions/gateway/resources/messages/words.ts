import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import type {
  ContactCard,
  Message,
  MessageAuthor,
  MessageChoice,
  MessageFailure,
  MessageLocation,
  MessageMedia,
  MessageReaction,
} from "./row.ts";

/** The descriptions of messages in the OpenAPI document. */
export const words = {
  operations: {
    listMessages: {
      tag: "Conversations",
      summary: "List the messages of a conversation",
      description:
        "Lists the messages of one conversation, newest first unless `sort` says otherwise. A " +
        "conversation without messages has an empty list. If your company does not have the " +
        "conversation, the request returns a 404.",
    },
    listMessageChanges: {
      tag: "Conversations",
      summary: "List changes of messages",
      description:
        "Lists your company's messages that were created, changed or deleted after the cursor. A " +
        "deleted message is returned as a `DeletedRow`. All other messages are returned in their " +
        "current state. " +
        'The section "Keep a copy in step" says how to use this list.',
    },
    getMessage: {
      tag: "Conversations",
      summary: "Get a message",
      description:
        "Returns one of your company's messages. The message's `status` says whether it has " +
        "arrived.",
    },
    getMessageMedia: {
      tag: "Conversations",
      summary: "Get the media file of a message",
      description:
        "Returns the bytes of the image, video, voice message, document or sticker that a " +
        "contact sent. The service forwards the bytes from the channel and does not store them. " +
        "The channel keeps the file for seven days. After that, the request returns a 410 " +
        "`media_expired`. **If the connection ends before you have received `Content-Length` " +
        "bytes, discard the bytes:** the service completes a response only if the bytes match " +
        "the SHA-256 hash. `Range` is ignored.",
    },
  },
  schemas: {
    Message: "A message in a conversation.",
    MessageAuthor: "Who wrote a message.",
    MessageFailure: "Why a message failed.",
    MessageMedia: "The file of a message, such as an image. The channel stores the file itself. " +
      "`GET /messages/{id}/media` returns a file that a person sent.",
    MessageReaction: "A reaction to a message.",
    MessageLocation: "A location that a person sent.",
    ContactCard: "A contact card that a person sent. The card does not create a contact.",
    MessageChoice: "The button or the entry of a list that a person chose.",
  },
  fields: {
    Message: {
      ...ROW,
      conversation_id: "The message's conversation.",
      direction: "`inbound`: from the contact. `outbound`: from your company.",
      type: "The message type, such as `text` or `image`. The record does not contain " +
        "the file itself.",
      author:
        "The author of the message. `null` if the platform wrote the message and named no author.",
      content:
        "The content of the message: the text, a file's caption, or the label of the button that " +
        "was tapped. For a template send, this is its `display_text`. An outbound message has at " +
        "most 4,096 characters.",
      rendered_text:
        "The text of a template send as the recipient sees it. `null` for any other message, and " +
        "if the template's text was not known.",
      status:
        "The status of an outbound message. `pending`: the channel's response is not known yet. " +
        "`accepted`: the channel accepted the message. `sent`, `delivered`, `read`: the channel " +
        "reported this status. `failed`: the channel did not accept or deliver the message, or " +
        "never responded. `expired`: the message's lifetime ended, and the channel never " +
        "reported its arrival. `null` for an inbound message.",
      whatsapp_message_id: "The channel's id for the message. `null` until this id is known.",
      sent_at:
        "For an outbound message, when the channel sent the message to the contact, according to " +
        "the channel. For an inbound message, when the contact sent the message.",
      delivered_at:
        "When the message reached one of the contact's devices. May remain `null` for a message " +
        "that was read.",
      read_at:
        "When the contact read or played the message. For an inbound message, when your company " +
        "marked it as read.",
      failed_at: "When the message failed, according to the channel.",
      expired_at: "When the message's lifetime ended, if the channel never reported its arrival.",
      failure: "Why the message failed, according to the channel. The reason remains even if the " +
        "message arrives later.",
      price_category:
        "The price category that the channel assigned to the message, such as `marketing`, " +
        "`utility` or `service`.",
      price_type:
        "How the channel charges for the message, such as `regular`, `free_customer_service` or " +
        "`free_entry_point`.",
      payload:
        "For an inbound message, the object that the channel sent for this type of message, " +
        'without the parts that are fields of this record. `{ "truncated": true }` when it is ' +
        "larger than 64 KiB. For a reply with buttons or a list, `interactive` has the buttons or " +
        "the list in the channel's format.",
      location: "The location that the contact sent. Present only for the type `location`.",
      contact_cards:
        "The contact cards that the contact sent. Present only for the type `contacts`. The " +
        "cards do not create contacts.",
      choice:
        "The contact's choice. For the type `button`, this is a template's button. For the type " +
        "`interactive`, this is a reply button or a list entry. `null` if the contact completed " +
        "a form.",
      media:
        "The details of the media file: the file that a person sent, the file of a reply, or your " +
        "own file in a template's header. `null` for a template's approved sample.",
      reply_to_id:
        "The id of the message that this message replies to, if this service has that message.",
      reply_to_whatsapp_id: "The channel's id for the message that this message replies to.",
      reaction: "The person's reaction to the message; `null` when there is none.",
      own_reaction: "Your company's reaction to the message; `null` when there is none.",
      edited_at: "When the person last edited the message. `content` is the newest text.",
      revoked_at: "When the person deleted the message for everyone.",
    } satisfies FieldsOf<typeof Message>,
    MessageAuthor: {
      type:
        "`person`: the contact of the conversation. `key`: an API key, with a template send or a " +
        "free reply. `member`: a person who works in your company. `agent`: the platform's AI " +
        "agent. `system`: the channel or the platform itself. For example, the channel reports " +
        "that the contact has a new phone number.",
      id: "The id of the contact, the key or the member, even after the key or the member was " +
        "deleted. `null` if the author has no id.",
      name:
        "The name of the author. For a contact, this is the current name; a new name does not " +
        "change the message's `version`. For a key, a member or an agent, this is the name when " +
        "the message was written. `null` if the author has no name.",
    } satisfies FieldsOf<typeof MessageAuthor>,
    MessageFailure: {
      reason:
        "The reason as a code of this API, such as `recipient_unreachable` or `window_closed`; " +
        "`channel_error` for any other reason.",
      code: "The channel's error code.",
      message: "The channel's error message.",
      details: "Additional details from the channel.",
    } satisfies FieldsOf<typeof MessageFailure>,
    MessageMedia: {
      id:
        "For an inbound message, the channel's id for the file. For an outbound message, the id " +
        "of your upload. `null` for a file that was sent from a URL.",
      mime_type: "The file's content type, such as `image/jpeg`.",
      sha256: "The SHA-256 hash of the file in hexadecimal digits.",
      filename: "The name of a document.",
      voice: "Whether an audio file is a voice message.",
      animated: "Whether a sticker is animated.",
      expires_at: "The time until which the channel keeps the file. For an outbound message, the " +
        "time until which you can send the upload.",
      gone_at: "When the channel reported that it no longer has the file. Missing until then.",
    } satisfies FieldsOf<typeof MessageMedia>,
    MessageLocation: {
      latitude: "The latitude in degrees.",
      longitude: "The longitude in degrees.",
      name: "The name of the location.",
      address: "The address of the location.",
      url: "The web page of the location.",
    } satisfies FieldsOf<typeof MessageLocation>,
    ContactCard: {
      name: "The name on the card.",
      organization: "The company on the card.",
      phones:
        "The phone numbers on the card: `phone` as the contact wrote it, `whatsapp_id` if the " +
        "channel knows the number, and `type`, such as `CELL`.",
      emails: "The email addresses on the card, each with its `type`.",
    } satisfies FieldsOf<typeof ContactCard>,
    MessageChoice: {
      type: "`button`: a template's button. `button_reply`: a reply button. `list_reply`: a list " +
        "entry.",
      id: "The id that your company gave the button or the list entry. For a template's button, " +
        "this is the button's payload.",
      title: "The label that the contact saw.",
      description: "The description of the list entry.",
    } satisfies FieldsOf<typeof MessageChoice>,
    MessageReaction: {
      emoji: "The emoji.",
      at: "The time of the reaction.",
    } satisfies FieldsOf<typeof MessageReaction>,
  },
} satisfies Words;
