import * as z from "zod";
import { rows } from "../../_shared/database/rows.ts";
import { table } from "../../_shared/database/table.ts";
import { ApiError } from "../../_shared/errors.ts";
import {
  Id,
  IdParams,
  readOnly,
  ROW_CHANGE,
  ROW_IDS,
  Timestamp,
  verbatim,
} from "../../_shared/http/fields.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { isAnyOf } from "../records/conditions.ts";
import { choice, optionalChoice, optionalTime, time } from "../records/filters.ts";
import { changesOperation } from "../records/changes_operation.ts";
import { listOperation } from "../records/list_operation.ts";
import { oneOf, TEXT, UUID } from "../records/query_values.ts";
import { readOperation } from "../records/read_operation.ts";
import { resource } from "../records/resource.ts";
import { byTime, newestFirst } from "../records/sorting.ts";

/** What people send and companies do not. */
const INBOUND_TYPES = [
  ...["audio", "sticker", "location", "contacts", "interactive", "button", "order"] as const,
  ...["system", "unsupported"] as const,
];

/** Words of the channel and of this service, kept as they came. */
const TextOrNull = z.string().nullable();
const MaybeTime = readOnly(Timestamp.nullable());
/** A time within an object, as it was written there. */
const OwnTime = z.iso.datetime({ offset: true });

/** Why a message failed. */
export const MessageFailure = z.object({
  reason: z.string(),
  code: z.int().nullable(),
  message: TextOrNull,
  details: TextOrNull,
}).meta({ id: "MessageFailure" });

/** A medium that a person sent. The medium itself stays at the channel. */
export const MessageMedia = z.object({
  id: z.string(),
  mime_type: TextOrNull,
  sha256: TextOrNull,
  filename: TextOrNull,
  voice: z.boolean().nullable(),
  animated: z.boolean().nullable(),
  expires_at: OwnTime.nullable(),
}).meta({ id: "MessageMedia" });

/** What the person thinks of a message. */
export const MessageReaction = z.object({ emoji: z.string(), at: OwnTime })
  .meta({ id: "MessageReaction" });

/** A message of a conversation; specification, 2.5. */
export const Message = z.object({
  ...ROW_IDS,
  conversation_id: Id,
  direction: z.enum(["inbound", "outbound"]),
  type: z.enum(["text", "image", "video", "document", ...INBOUND_TYPES]),
  content: verbatim(65_536),
  rendered_text: verbatim(65_536).nullable(),
  status: z.enum(["pending", "accepted", "sent", "delivered", "read", "failed", "expired"])
    .nullable(),
  whatsapp_message_id: verbatim(255).nullable(),
  sent_at: MaybeTime,
  delivered_at: MaybeTime,
  read_at: MaybeTime,
  failed_at: MaybeTime,
  expired_at: MaybeTime,
  failure: MessageFailure.nullable(),
  price_category: verbatim(64).nullable(),
  price_type: verbatim(64).nullable(),
  payload: z.looseObject({}).nullable(),
  media: MessageMedia.nullable(),
  reply_to_id: Id.nullable(),
  reply_to_whatsapp_id: verbatim(255).nullable(),
  reaction: MessageReaction.nullable(),
  edited_at: MaybeTime,
  revoked_at: MaybeTime,
  ...ROW_CHANGE,
}).meta({ id: "Message" });

export const MESSAGE = resource({
  table: table("messages", Message, "own_messages"),
  name: "Message",
  filters: {
    id: choice("id", UUID),
    direction: choice("direction", oneOf(Message.shape.direction.options)),
    type: choice("type", oneOf(Message.shape.type.options)),
    status: optionalChoice("status", oneOf(Message.shape.status.unwrap().options)),
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
