import * as z from "zod/mini";
import {
  Id,
  readOnly,
  ROW_CHANGE,
  ROW_IDS,
  Timestamp,
  verbatim,
} from "../../../_shared/http/fields.ts";

/** Types that only people send, and companies never. */
const INBOUND_TYPES = [
  ...["audio", "sticker", "location", "contacts", "interactive", "button", "order"] as const,
  ...["system", "unsupported"] as const,
];

/** A word of the channel or of this service, stored unchanged. */
const TextOrNull = z.nullable(z.string());

const MaybeTime = readOnly(z.nullable(Timestamp));

/** A time within a JSON object, unchanged. */
const OwnTime = z.iso.datetime({ offset: true });

/** Why a message failed. */
export const MessageFailure = z.object({
  reason: z.string(),
  code: z.nullable(z.int()),
  message: TextOrNull,
  details: TextOrNull,
}).register(z.globalRegistry, { id: "MessageFailure" });

/** A file that a person sent. The channel keeps the file itself. */
export const MessageMedia = z.object({
  id: z.string(),
  mime_type: TextOrNull,
  sha256: TextOrNull,
  filename: TextOrNull,
  voice: z.nullable(z.boolean()),
  animated: z.nullable(z.boolean()),
  expires_at: z.nullable(OwnTime),
}).register(z.globalRegistry, { id: "MessageMedia" });

/** A person's reaction to a message. */
export const MessageReaction = z.object({ emoji: z.string(), at: OwnTime }).register(
  z.globalRegistry,
  { id: "MessageReaction" },
);

/** Who wrote a message. */
export const MessageAuthor = z.object({
  type: z.enum(["person", "key", "member", "agent", "system"]),
  id: z.nullable(Id),
  name: TextOrNull,
}).register(z.globalRegistry, { id: "MessageAuthor" });

/** A message of a conversation (specification, 2.5). */
export const Message = z.object({
  ...ROW_IDS,
  conversation_id: Id,
  direction: z.enum(["inbound", "outbound"]),
  type: z.enum(["text", "image", "video", "document", ...INBOUND_TYPES]),
  author: z.nullable(MessageAuthor),
  content: verbatim(65_536),
  rendered_text: z.nullable(verbatim(65_536)),
  status: z.nullable(
    z.enum(["pending", "accepted", "sent", "delivered", "read", "failed", "expired"]),
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
  media: z.nullable(MessageMedia),
  reply_to_id: z.nullable(Id),
  reply_to_whatsapp_id: z.nullable(verbatim(255)),
  reaction: z.nullable(MessageReaction),
  edited_at: MaybeTime,
  revoked_at: MaybeTime,
  ...ROW_CHANGE,
}).register(z.globalRegistry, { id: "Message" });
