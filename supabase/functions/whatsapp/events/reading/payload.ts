import { cleanObject } from "./clean.ts";
import type { CleanObject } from "./item.ts";
import { type Loose, objectIn, textIn } from "./loose.ts";
import { hasMedia } from "./message_content.ts";

/** The parts of a message that are properties of its item. */
const COMMON = ["id", "from", "from_user_id", "from_parent_user_id", "timestamp", "type"];
const OF_MEDIA = ["id", "mime_type", "sha256", "url", "caption", "filename", "voice", "animated"];

/**
 * The parts of a message that are not properties of its item. Examples are the advertisement that led
 * to the message, and any property that the channel adds later. Null when there are none.
 */
export function payloadOf(message: Loose): CleanObject | null {
  const rest = without(message, COMMON);
  const context = objectIn(message, "context");
  if (context) replace(rest, "context", without(context, ["id", "from", "from_user_id"]));
  const type = textIn(message, "type", 64) ?? "";
  const own = objectIn(message, type);
  if (own) replace(rest, type, without(own, namedOf(type)));
  return Object.keys(rest).length === 0 ? null : cleanObject(rest);
}

/**
 * In a message, one object is named after the message's type, such as `image`. Returns the
 * properties of this object to leave out: the item already has them, or they are not stored.
 */
function namedOf(type: string): string[] {
  if (type === "text") return ["body"];
  if (type === "location") return [];
  // A type that is not known yet may also have a file. The file's URL is signed, so it is left out.
  return hasMedia(type) ? OF_MEDIA : ["url"];
}

function without(value: Loose, keys: string[]): Loose {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** Replaces a property, or removes it when its new value is empty. */
function replace(within: Loose, key: string, value: Loose) {
  if (Object.keys(value).length === 0) delete within[key];
  else within[key] = value;
}
