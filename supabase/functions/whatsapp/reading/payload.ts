import { cleanObject } from "./clean.ts";
import type { CleanObject } from "./item.ts";
import { type Loose, objectIn, textIn } from "./loose.ts";
import { hasMedia } from "./message_content.ts";

/** What an item has a member for. */
const COMMON = ["id", "from", "from_user_id", "from_parent_user_id", "timestamp", "type"];
const OF_MEDIA = ["id", "mime_type", "sha256", "url", "caption", "filename", "voice", "animated"];

/**
 * What a message has beside what its item names: the own part of its type, under the name of the type, the
 * advertisement that it came from, and whatever else the channel adds. Null when there is nothing.
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

/** The members of the own part of a type that the item has, or that are not kept. */
function namedOf(type: string): string[] {
  if (type === "text") return ["body"];
  if (type === "location") return [];
  // The address of media is signed, also that of a type that is not known yet.
  return hasMedia(type) ? OF_MEDIA : ["url"];
}

function without(value: Loose, keys: string[]): Loose {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** Replaces a member, or takes it away when nothing is left of it. */
function replace(within: Loose, key: string, value: Loose) {
  if (Object.keys(value).length === 0) delete within[key];
  else within[key] = value;
}
