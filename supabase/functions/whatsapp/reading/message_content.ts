import { cleanText } from "./clean.ts";
import type { MessageType } from "./item.ts";
import { list, type Loose, member, object, objectIn, textIn } from "./loose.ts";

/** People may send so much; the rest is cut. */
export const MAX_CONTENT = 65_536;

const MEDIA_TYPES = ["image", "video", "document", "audio", "sticker"];

type Reader = (own: unknown) => string | null;

const caption: Reader = (own) => object(own) && (textIn(own, "caption", MAX_CONTENT) ?? "");
const names = (...parts: (string | null)[]) =>
  cleanText(parts.filter((part) => part).join(", "), MAX_CONTENT);

/** The text of each type, from its own part of the message. Null: that part is not there, or does not make sense. */
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

/** The tap on a button or a list entry, or a form that was filled in. */
function interactiveText(own: unknown): string | null {
  const type = textIn(own, "type", 64);
  const reply = type === null ? null : objectIn(own, type);
  if (reply === null) return null;
  return textIn(reply, type === "nfm_reply" ? "body" : "title", MAX_CONTENT) ?? "";
}

/**
 * The type and the text of a message. A type that is not known, or whose own part is missing, is `unsupported`: the
 * person did write.
 */
export function contentOf(message: Loose): { type: MessageType; content: string } {
  const type = textIn(message, "type", 64) ?? "";
  const content = CONTENTS.get(type)?.(member(message, type)) ?? null;
  return content === null
    ? { type: "unsupported", content: "" }
    : { type: type as MessageType, content };
}

/** Whether messages of this type carry media. */
export function hasMedia(type: string): boolean {
  return MEDIA_TYPES.includes(type);
}
