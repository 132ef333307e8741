import { readBusinessNotice } from "./business_notices.ts";
import type { Item, ItemPlace } from "./item.ts";
import { digitsIn, list, type Loose, member, object, objectIn, textIn, timeIn } from "./loose.ts";
import { readMessage } from "./messages.ts";
import { readPreference, readUserIdUpdate } from "./people_notices.ts";
import { cardsIn } from "./persons.ts";
import { errorsIn, readStatus } from "./statuses.ts";
import { unknown } from "./unknown.ts";

/** The content of an event. */
export interface ReadEvent {
  items: Item[];
  /** A message for operators about what could not be read; null when the whole event was read. */
  problem: string | null;
}

/**
 * The maximum number of items in an event. The channel sends up to 1,000. Items beyond the maximum
 * are not applied, and `problem` mentions them.
 */
const MAX_ITEMS = 10_000;

/**
 * Reads the body of an event into items. The function accepts any body: a malformed or unknown part
 * becomes an item of kind `unknown`, and does not affect other items. The function never throws.
 */
export function readEvent(body: Uint8Array): ReadEvent {
  try {
    return read(body);
  } catch (error) {
    // No known body causes an error here. If a body does, the event is still stored, and this
    // message gives the reason.
    return { items: [], problem: `The body could not be read (${(error as Error).name})` };
  }
}

function read(body: Uint8Array): ReadEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return { items: [], problem: "The body is not JSON" };
  }
  if (!object(event) || member(event, "entry") === undefined) {
    return { items: [], problem: "The body is not an event of the channel: it has no entry" };
  }
  const product = textIn(event, "object", 64);
  const isOther = product !== null && product !== "whatsapp_business_account";
  const items: Item[] = [];
  let seen = 0;
  // There may be very many malformed parts. One item of the kind `unknown` is sufficient for each
  // account, number and field.
  const toldUnknown = new Set<string>();
  for (const item of itemsIn(event, isOther ? product : null)) {
    if (++seen > MAX_ITEMS) {
      return { items, problem: `The event has more than ${MAX_ITEMS} items; the rest is left out` };
    }
    if (item.kind === "unknown") {
      const told = JSON.stringify([item.waba, item.phone_number_id, item.field]);
      if (toldUnknown.has(told)) continue;
      toldUnknown.add(told);
    }
    items.push(item);
  }
  return { items, problem: null };
}

/**
 * @param otherProduct the product of Meta that the event names; null if the event names WhatsApp or
 *   no product.
 */
function* itemsIn(event: unknown, otherProduct: string | null): Generator<Item> {
  for (const entry of list(member(event, "entry"))) {
    const waba = digitsIn(entry, "id");
    for (const change of list(member(entry, "changes"))) {
      const value = objectIn(change, "value") ?? {};
      const field = textIn(change, "field", 64) ?? "none";
      const phone_number_id = digitsIn(objectIn(value, "metadata"), "phone_number_id");
      const place = { waba, phone_number_id, at: timeIn(entry, "time") };
      if (otherProduct) yield unknown(place, `${otherProduct}.${field}`);
      else yield* changeItems(field, value, place);
    }
  }
}

function* changeItems(field: string, value: Loose, place: ItemPlace): Generator<Item> {
  switch (field) {
    case "messages": {
      yield* messageItems(value, place);
      break;
    }
    case "user_preferences": {
      const cards = cardsIn(member(value, "contacts"));
      const preferences = list(member(value, "user_preferences"));
      for (const preference of preferences) yield readPreference(preference, cards, place);
      if (preferences.length === 0) yield unknown(place, field);
      break;
    }
    case "user_id_update": {
      const cards = cardsIn(member(value, "contacts"));
      const updates = list(member(value, "user_id_update"));
      for (const update of updates) yield readUserIdUpdate(update, cards, place);
      if (updates.length === 0) yield unknown(place, field);
      break;
    }
    default:
      yield readBusinessNotice(field, value, place) ?? unknown(place, field);
  }
}

function* messageItems(value: Loose, place: ItemPlace): Generator<Item> {
  const statuses = list(member(value, "statuses"));
  const messages = list(member(value, "messages"));
  const cards = cardsIn(member(value, "contacts"));
  for (const status of statuses) yield readStatus(status, place);
  for (const message of messages) yield readMessage(message, cards, place);
  if (statuses.length + messages.length > 0) return;
  const errors = errorsIn(member(value, "errors"));
  yield errors.length > 0 ? { kind: "trouble", ...place, errors } : unknown(place, "messages");
}
