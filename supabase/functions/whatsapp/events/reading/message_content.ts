import { cleanText } from "./clean.ts";
import type { MessageType } from "./item.ts";
import { list, type Loose, member, object, objectIn, textIn } from "./loose.ts";

/** The maximum number of characters of a person's text. The rest is cut off. */
export const MAX_CONTENT = 65_536;

const MEDIA_TYPES = ["image", "video", "document", "audio", "sticker"];

type Reader = (own: unknown) => string | null;

const caption: Reader = (own) => object(own) && (textIn(own, "caption", MAX_CONTENT) ?? "");
const names = (...parts: (string | null)[]) =>
  cleanText(parts.filter((part) => part).join(", "), MAX_CONTENT);

/**
 * Reads the text of each message type. The property that is named after a message's type contains
 * its content: a message of the type `image` has the property `image`. Null means that this
 * property is missing or malformed.
 */
const CONTENTS = new Map<string, Reader>([
  ["text", (own) => {
    const body = member(own, "body");
    return typeof body === "string" ? cleanText(body, MAX_CONTENT) : null;
  }],
  ["order", (own) => object(own) && (textIn(own, "text", MAX_CONTENT) ?? "")],
  ...MEDIA_TYPES.map((type): [string, Reader] => [
    type,
    caption,
  ]),
  [
    "location",
    (own) => object(own) && names(textIn(own, "name", 1000), textIn(own, "address", 1000)),
  ],
  ["contacts", (own) => {
    const cards = list(own).filter((card) => object(card) !== null);
    if (cards.length === 0) return null;
    return names(...cards.map((card) => textIn(objectIn(card, "name"), "formatted_name", 255)));
  }],
  ["interactive", interactiveText],
  ["button", (own) => object(own) && (textIn(own, "text", MAX_CONTENT) ?? "")],
]);

/** The label of the button or list entry that a person tapped, or the text of a form. */
function interactiveText(own: unknown): string | null {
  const type = textIn(own, "type", 64);
  const reply = type === null ? null : objectIn(own, type);
  if (reply === null) return null;
  return textIn(reply, type === "nfm_reply" ? "body" : "title", MAX_CONTENT) ?? "";
}

/**
 * The type and the text of a message. If the type is unknown, or the property that is named after
 * the type is missing, the message gets the type `unsupported`. The message is kept, because the
 * person sent something.
 */
export function contentOf(message: Loose): { type: MessageType; content: string } {
  const type = textIn(message, "type", 64) ?? "";
  const content = CONTENTS.get(type)?.(member(message, type)) ?? null;
  return content === null
    ? { type: "unsupported", content: "" }
    : { type: type as MessageType, content };
}

/** Whether messages of this type have a file. */
export function hasMedia(type: string): boolean {
  return MEDIA_TYPES.includes(type);
}
