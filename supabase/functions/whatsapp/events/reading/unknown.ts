import { cleanText } from "./clean.ts";
import type { Item, ItemPlace } from "./item.ts";

/** An unknown or malformed part. */
export function unknown({ waba, phone_number_id }: ItemPlace, field: string): Item {
  return { kind: "unknown", waba, phone_number_id, at: null, field: cleanText(field, 100) };
}
