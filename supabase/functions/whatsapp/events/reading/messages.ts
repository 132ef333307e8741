import type { Item, ItemPlace, Message, Person, SystemNotice } from "./item.ts";
import {
  idIn,
  list,
  type Loose,
  member,
  object,
  objectIn,
  phoneIn,
  textIn,
  timeIn,
} from "./loose.ts";
import { mediaIn } from "./media.ts";
import { contentOf, hasMedia, MAX_CONTENT } from "./message_content.ts";
import { wordIn } from "./opt_out_words.ts";
import { payloadOf } from "./payload.ts";
import { type Cards, personWith } from "./persons.ts";
import { unknown } from "./unknown.ts";

/** The fields that messages of all types have. */
interface Envelope extends ItemPlace {
  id: string;
  person: Person;
}

/** Reads one entry of the `messages` of a change. */
export function readMessage(value: unknown, cards: Cards, at: ItemPlace): Item {
  const message = object(value);
  const id = idIn(message, "id");
  const person = personWith(phoneIn(message, "from"), idIn(message, "from_user_id"), cards);
  if (!message || id === null || person === null) return unknown(at, "messages.messages");
  if (idIn(message, "group_id") !== null) return unknown(at, "messages.group");
  const envelope = { ...at, at: timeIn(message, "timestamp"), id, person };
  switch (member(message, "type")) {
    case "reaction":
      return reaction(message, envelope);
    case "edit":
      return edit(message, envelope);
    case "revoke":
      return revoke(message, envelope);
    case "system":
      return system(message, envelope);
    default:
      return written(message, envelope);
  }
}

/** A message that a person wrote. */
function written(message: Loose, envelope: Envelope): { kind: "message" } & Message & ItemPlace {
  let { type, content } = contentOf(message);
  const own = member(message, type);
  const media = hasMedia(type) ? mediaIn(own, envelope.at) : null;
  // A file without an id cannot be fetched, so only its caption remains.
  if (hasMedia(type) && media === null) type = "unsupported";
  return {
    kind: "message",
    ...envelope,
    type,
    content,
    payload: payloadOf(message),
    media,
    answers: idIn(objectIn(message, "context"), "id"),
    word: ["text", "button", "interactive"].includes(type) ? wordIn(content) : null,
    has_own_phone: type === "contacts" && hasOwnPhone(own, envelope.person),
  };
}

/**
 * Whether one of the contact cards is the sender's own, which the sender shared because the company
 * requested the phone number.
 */
function hasOwnPhone(cards: unknown, { phone }: Person): boolean {
  return phone !== null &&
    list(cards).some((card) =>
      member(card, "origin") === "contact_request" &&
      list(member(card, "phones")).some((entry) => phoneIn(entry, "wa_id") === phone)
    );
}

function reaction(message: Loose, envelope: Envelope): Item {
  const own = objectIn(message, "reaction");
  const target = idIn(own, "message_id");
  if (target === null) return unknown(envelope, "messages.reaction");
  return { kind: "reaction", ...envelope, target, emoji: textIn(own, "emoji", 64) };
}

function edit(message: Loose, envelope: Envelope): Item {
  const own = objectIn(message, "edit");
  const target = idIn(own, "original_message_id");
  const edited = objectIn(own, "message");
  const now = edited && contentOf(edited);
  // An edit that cannot be read must not replace what the person wrote earlier.
  if (target === null || now === null || now.type === "unsupported") {
    return unknown(envelope, "messages.edit");
  }
  return { kind: "edit", ...envelope, target, content: now.content };
}

function revoke(message: Loose, envelope: Envelope): Item {
  const target = idIn(objectIn(message, "revoke"), "original_message_id");
  if (target === null) return unknown(envelope, "messages.revoke");
  return { kind: "revoke", ...envelope, target };
}

function system(message: Loose, envelope: Envelope): { kind: "system" } & SystemNotice & ItemPlace {
  const own = objectIn(message, "system");
  return {
    kind: "system",
    ...envelope,
    content: textIn(own, "body", MAX_CONTENT) ?? "",
    payload: payloadOf(message),
    change: {
      // An older form of the notice has the new phone number in another property.
      phone: phoneIn(own, "wa_id") ?? phoneIn(own, "new_wa_id"),
      user_id: idIn(own, "user_id"),
    },
  };
}
