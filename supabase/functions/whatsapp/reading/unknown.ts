import { cleanText } from "./clean.ts";
import type { Item, ItemPlace } from "./item.ts";

/** What is not known or malformed. */
export function unknown({ waba, phone_number_id }: ItemPlace, field: string): Item {
  return { kind: "unknown", waba, phone_number_id, at: null, field: cleanText(field, 100) };
}
