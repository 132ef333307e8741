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

/** The texts about messages in the API's description. */
export const words = {
  operations: {
    listMessages: {
      tag: "Conversations",
      summary: "List the messages of a conversation",
      description:
        "Lists the messages of one conversation, newest first unless `sort` says otherwise. A " +
        "conversation without messages has an empty list. If your company does not have the " +
        "conversation, the answer is a 404.",
    },
    listMessageChanges: {
      tag: "Conversations",
      summary: "List changes of messages",
      description:
        "Lists the messages of your company that were created, changed or deleted after the " +
        "cursor. A deleted message is a `DeletedRow`; any other message is in its current state. " +
        'The section "Keep a copy in step" says how to use this list.',
    },
    getMessage: {
      tag: "Conversations",
      summary: "Get a message",
      description: "Returns one message of your company. Its `status` says whether it has arrived.",
    },
    getMessageMedia: {
      tag: "Conversations",
      summary: "Read the medium of a message",
      description:
        "Returns the bytes of the picture, video, voice message, document or sticker that a " +
        "person sent. The service passes them on from the channel and keeps nothing. The " +
        "channel has the file for seven days; after that, the answer is a 410 `media_expired`. " +
        "**If the connection ends before you have `Content-Length` bytes, throw the bytes " +
        "away:** the service completes an answer only if the bytes have the right SHA-256. " +
        "`Range` is ignored.",
    },
  },
  schemas: {
    Message: "A message of a conversation.",
    MessageAuthor: "Who wrote a message.",
    MessageFailure: "Why a message failed.",
    MessageMedia:
      "A file that a person sent, such as an image. The channel keeps the file itself; " +
      "`GET /messages/{id}/media` reads it.",
    MessageReaction: "A reaction to a message.",
    MessageLocation: "A place that a person sent.",
    ContactCard: "A contact card that a person sent. The card does not create a contact.",
    MessageChoice: "The button or the entry of a list that a person chose.",
  },
  fields: {
    Message: {
      ...ROW,
      conversation_id: "The conversation of the message.",
      direction: "`inbound`: from the contact. `outbound`: from your company.",
      type: "The kind of the message, such as `text` or `image`. The record does not contain " +
        "the file itself.",
      author: "Who wrote the message; `null` when the platform wrote it and named no author.",
      content:
        "What the message says: the text, the caption of a file, or the label of the button that " +
        "was tapped. For a template send, this is its `display_text`. An outbound message has at " +
        "most 4,096 characters.",
      rendered_text:
        "The text of a template send as the recipient sees it. `null` for any other message, " +
        "and when the text of the template was not known.",
      status:
        "The status of an outbound message. `pending`: the channel's answer is not known yet. " +
        "`accepted`: the channel accepted the message. `sent`, `delivered`, `read`: the channel " +
        "reported this status. `failed`: the channel did not accept or deliver the message, or " +
        "never answered. `expired`: the lifetime of the message ended, and the channel never " +
        "reported that it arrived. `null` for an inbound message.",
      whatsapp_message_id: "The channel's id of the message; `null` until it is known.",
      sent_at:
        "For an outbound message: when the channel passed it on to the person, as the channel " +
        "reported. For an inbound message: when the person sent it.",
      delivered_at:
        "When the message reached one of the person's devices. May stay `null` for a message that was read.",
      read_at:
        "When the person read the message, or played it. For an inbound message, when your " +
        "company marked it as read.",
      failed_at: "When the message failed, according to the channel.",
      expired_at:
        "When the lifetime of the message ended, if the channel never reported that it arrived.",
      failure:
        "Why the message failed, according to the channel. The reason stays here even when the " +
        "message arrives later.",
      price_category:
        "The price category that the channel gives the message, such as `marketing`, `utility` or `service`.",
      price_type:
        "How the channel charges for the message, such as `regular`, `free_customer_service` or " +
        "`free_entry_point`.",
      payload:
        "For an inbound message: the object that the channel sent for this type of message, " +
        'without the parts that are fields of this record. `{ "truncated": true }` when it is ' +
        "larger than 64 KiB.",
      location: "The place that the person sent; only for the type `location`.",
      contact_cards:
        "The contact cards that the person sent; only for the type `contacts`. The cards do not " +
        "create contacts.",
      choice:
        "What the person chose: for the type `button` the button of a template, and for the type " +
        "`interactive` a reply button or an entry of a list. `null` for a form.",
      media: "What is known about the file of an inbound message.",
      reply_to_id:
        "The id of the message that this message answers, if this service has that message.",
      reply_to_whatsapp_id: "The channel's id of the message that this message answers.",
      reaction: "The person's reaction to the message; `null` when there is none.",
      own_reaction: "Your company's reaction to the message; `null` when there is none.",
      edited_at: "When the person last edited the message. `content` is the newest text.",
      revoked_at: "When the person deleted the message for everyone.",
    } satisfies FieldsOf<typeof Message>,
    MessageAuthor: {
      type:
        "`person`: the contact of the conversation. `key`: an API key, with a template send or a " +
        "free reply. `member`: a person who works in your company. `agent`: the platform's AI " +
        "agent. `system`: the channel or the platform itself, such as a notice of a new phone.",
      id: "The id of the contact, the key or the member, even after the key or the member was " +
        "deleted. `null` when there is none.",
      name: "The name of the author. A contact has its current name. A key, a member or an " +
        "agent has the name that it had when the message was written. `null` when there is none.",
    } satisfies FieldsOf<typeof MessageAuthor>,
    MessageFailure: {
      reason:
        "The reason as a code of this API, such as `recipient_unreachable` or `window_closed`; " +
        "`channel_error` for any other reason.",
      code: "The channel's error code.",
      message: "The channel's words.",
      details: "Further details, in the channel's words.",
    } satisfies FieldsOf<typeof MessageFailure>,
    MessageMedia: {
      id: "The channel's id of the file.",
      mime_type: "The type of the file, such as `image/jpeg`.",
      sha256: "The SHA-256 hash of the file in hexadecimal digits.",
      filename: "The name of a document.",
      voice: "Whether an audio file is a voice message.",
      animated: "Whether a sticker is animated.",
      expires_at: "The time until which the channel keeps the file.",
      gone_at: "When the channel reported that it no longer has the file. Missing until then.",
    } satisfies FieldsOf<typeof MessageMedia>,
    MessageLocation: {
      latitude: "The latitude in degrees.",
      longitude: "The longitude in degrees.",
      name: "The name of the place.",
      address: "The address of the place.",
      url: "The web page of the place.",
    } satisfies FieldsOf<typeof MessageLocation>,
    ContactCard: {
      name: "The name on the card.",
      organization: "The company on the card.",
      phones:
        "The phones on the card: `phone` as the person wrote it, `whatsapp_id` if the channel " +
        "knows the phone, and `type`, such as `CELL`.",
      emails: "The email addresses on the card, each with its `type`.",
    } satisfies FieldsOf<typeof ContactCard>,
    MessageChoice: {
      type: "`button`: a button of a template. `button_reply`: a reply button. `list_reply`: an " +
        "entry of a list.",
      id: "The id that your company gave the button or the entry; for a template's button, its " +
        "payload.",
      title: "The label that the person saw.",
      description: "The description of the entry.",
    } satisfies FieldsOf<typeof MessageChoice>,
    MessageReaction: {
      emoji: "The emoji.",
      at: "The time of the reaction.",
    } satisfies FieldsOf<typeof MessageReaction>,
  },
} satisfies Words;
