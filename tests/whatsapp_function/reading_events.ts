import { readEvent } from "../../supabase/functions/whatsapp/events/reading/event.ts";
import type { Item } from "../../supabase/functions/whatsapp/events/reading/item.ts";

const folder = new URL("fixtures/", import.meta.url);

/** The names of the event files in order, without `.json`. */
export function eventFiles(): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => /^\d.*\.json$/.test(name)).map((name) => name.replace(/\.json$/, "")).sort();
}

/** The body of the event in the file with this name. */
export function eventBytes(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(`${name}.json`, folder));
}

/** The items of the event in the file with this name. */
export function itemsOf(name: string): Item[] {
  return readEvent(eventBytes(name)).items;
}

const encoder = new TextEncoder();

/** Parses a value as the body of an event. */
export function readValue(value: unknown) {
  return readEvent(encoder.encode(JSON.stringify(value)));
}

/** An event with one change, for the first phone number of the fixtures. */
export function eventOf(field: string, value: Record<string, unknown>) {
  const metadata = { phone_number_id: "730000000000001", display_phone_number: "551140028922" };
  return {
    object: "whatsapp_business_account",
    entry: [{ id: "910000000000001", changes: [{ field, value: { metadata, ...value } }] }],
  };
}

/** The items of one change to the field `messages`. */
export function itemsIn(value: Record<string, unknown>): Item[] {
  return readValue(eventOf("messages", value)).items;
}

/**
 * The single item of an event with this message. The message is from Ana unless another sender is
 * given.
 */
// deno-lint-ignore no-explicit-any -- tests read properties of any kind of item
export function messageItem(message: Record<string, unknown>): any {
  const [item, ...more] = itemsIn({
    messages: [{ from: "5511987654321", id: "wamid.A", timestamp: "1795262460", ...message }],
  });
  if (more.length > 0) throw new Error("There is more than one item");
  return item;
}
