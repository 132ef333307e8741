import type { Item, ItemPlace } from "./item.ts";
import { idIn, member, objectIn, phoneIn, timeIn } from "./loose.ts";
import { type Cards, personWith } from "./persons.ts";
import { unknown } from "./unknown.ts";

/**
 * Reads one entry of the `user_preferences` of a change: whether the person wants marketing
 * messages.
 */
export function readPreference(value: unknown, cards: Cards, place: ItemPlace): Item {
  const person = personWith(phoneIn(value, "wa_id"), idIn(value, "user_id"), cards);
  const wish = member(value, "value");
  const isMarketing = (member(value, "category") ?? "marketing_messages") === "marketing_messages";
  if (person === null || !isMarketing || (wish !== "stop" && wish !== "resume")) {
    return unknown(place, "user_preferences");
  }
  return { kind: "preference", ...place, at: timeIn(value, "timestamp"), value: wish, person };
}

/** Reads one entry of the `user_id_update` of a change: the person has another user id. */
export function readUserIdUpdate(value: unknown, cards: Cards, place: ItemPlace): Item {
  const ids = objectIn(value, "user_id");
  const current = idIn(ids, "current");
  const person = personWith(phoneIn(value, "wa_id"), idIn(ids, "previous"), cards);
  if (person === null || current === null) return unknown(place, "user_id_update");
  return {
    kind: "identity",
    ...place,
    at: timeIn(value, "timestamp"),
    person,
    change: { phone: null, user_id: current },
  };
}
