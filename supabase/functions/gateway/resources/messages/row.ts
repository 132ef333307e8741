import * as z from "zod/mini";
import { lazily } from "../../../_shared/lazily.ts";
import { Id, MaybeTime, ROW_CHANGE, ROW_IDS, verbatim } from "../../../_shared/http/fields.ts";

/** Companies send only text messages, files and `interactive` messages. */
export const MESSAGE_TYPES = [
  ...["text", "image", "video", "document", "audio", "sticker", "location", "contacts"] as const,
  ...["interactive", "button", "order", "system", "unsupported"] as const,
];

export const DIRECTIONS = ["inbound", "outbound"] as const;

export const MESSAGE_STATUSES = [
  ...["pending", "accepted", "sent", "delivered", "read", "failed", "expired"] as const,
];

/** A text from the channel or a code of this service, which is returned as it is stored. */
const TextOrNull = z.nullable(z.string());

/** A time within a JSON object. It is returned unchanged. */
const OwnTime = z.iso.datetime({ offset: true });

/** Why a message failed. */
export const MessageFailure = lazily(() =>
  z.object({
    reason: z.string(),
    code: z.nullable(z.int()),
    message: TextOrNull,
    details: TextOrNull,
  }).register(z.globalRegistry, { id: "MessageFailure" })
);

/** A message's media file. The channel stores the file itself. */
export const MessageMedia = lazily(() =>
  z.object({
    id: TextOrNull,
    mime_type: TextOrNull,
    sha256: TextOrNull,
    filename: TextOrNull,
    voice: z.nullable(z.boolean()),
    animated: z.nullable(z.boolean()),
    expires_at: z.nullable(OwnTime),
    gone_at: z.optional(OwnTime),
  }).register(z.globalRegistry, { id: "MessageMedia" })
);

/** A location that a contact sent. */
export const MessageLocation = lazily(() =>
  z.object({
    latitude: z.number(),
    longitude: z.number(),
    name: TextOrNull,
    address: TextOrNull,
    url: TextOrNull,
  }).register(z.globalRegistry, { id: "MessageLocation" })
);

/**
 * A contact card that a contact sent. The card describes another person, and does not create a
 * contact.
 */
export const ContactCard = lazily(() =>
  z.object({
    name: TextOrNull,
    organization: TextOrNull,
    phones: z.array(z.object({ phone: TextOrNull, whatsapp_id: TextOrNull, type: TextOrNull })),
    emails: z.array(z.object({ email: TextOrNull, type: TextOrNull })),
  }).register(z.globalRegistry, { id: "ContactCard" })
);

/** The button or list entry that a contact chose. */
export const MessageChoice = lazily(() =>
  z.object({
    type: z.enum(["button", "button_reply", "list_reply"]),
    id: TextOrNull,
    title: TextOrNull,
    description: TextOrNull,
  }).register(z.globalRegistry, { id: "MessageChoice" })
);

/** A reaction to a message. */
export const MessageReaction = lazily(() =>
  z.object({ emoji: z.string(), at: OwnTime }).register(
    z.globalRegistry,
    { id: "MessageReaction" },
  )
);

/** Who wrote a message. */
export const MessageAuthor = lazily(() =>
  z.object({
    type: z.enum(["person", "key", "member", "agent", "system"]),
    id: z.nullable(Id),
    name: TextOrNull,
  }).register(z.globalRegistry, { id: "MessageAuthor" })
);

/** A message in a conversation (specification, 2.5). */
export const Message = lazily(() =>
  z.object({
    ...ROW_IDS,
    conversation_id: Id,
    direction: z.enum(DIRECTIONS),
    type: z.enum(MESSAGE_TYPES),
    author: z.nullable(MessageAuthor),
    content: verbatim(65_536),
    rendered_text: z.nullable(verbatim(65_536)),
    status: z.nullable(
      z.enum(MESSAGE_STATUSES),
    ),
    whatsapp_message_id: z.nullable(verbatim(255)),
    sent_at: MaybeTime,
    delivered_at: MaybeTime,
    read_at: MaybeTime,
    failed_at: MaybeTime,
    expired_at: MaybeTime,
    failure: z.nullable(MessageFailure),
    price_category: z.nullable(verbatim(64)),
    price_type: z.nullable(verbatim(64)),
    payload: z.nullable(z.looseObject({})),
    location: z.nullable(MessageLocation),
    contact_cards: z.nullable(z.array(ContactCard)),
    choice: z.nullable(MessageChoice),
    media: z.nullable(MessageMedia),
    reply_to_id: z.nullable(Id),
    reply_to_whatsapp_id: z.nullable(verbatim(255)),
    reaction: z.nullable(MessageReaction),
    own_reaction: z.nullable(MessageReaction),
    edited_at: MaybeTime,
    revoked_at: MaybeTime,
    ...ROW_CHANGE,
  }).register(z.globalRegistry, { id: "Message" })
);
