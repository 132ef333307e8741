import type { Person } from "./item.ts";
import { idIn, list, objectIn, phoneIn, textIn } from "./loose.ts";

/** The contacts that stand beside the messages of a change, by what names them. */
export interface Cards {
  byPhone: Map<string, Person>;
  byUserId: Map<string, Person>;
}

/** The channel sends one, or one for each message. */
const MAX_CARDS = 10_000;

/** The `contacts` of a change. The list can be missing. */
export function cardsIn(contacts: unknown): Cards {
  const cards: Cards = { byPhone: new Map(), byUserId: new Map() };
  for (const contact of list(contacts).slice(0, MAX_CARDS)) {
    const profile = objectIn(contact, "profile");
    const person = {
      phone: phoneIn(contact, "wa_id"),
      user_id: idIn(contact, "user_id"),
      name: textIn(profile, "name", 255)?.trim() || null,
      username: textIn(profile, "username", 255)?.trim() || null,
    };
    if (person.phone) cards.byPhone.set(person.phone, person);
    if (person.user_id) cards.byUserId.set(person.user_id, person);
  }
  return cards;
}

/**
 * The person with this phone and this user id, with what their card adds: by what names them, never by its place.
 * Null when nothing names a person.
 */
export function personWith(
  phone: string | null,
  userId: string | null,
  cards: Cards,
): Person | null {
  if (phone === null && userId === null) return null;
  const card = (userId !== null && cards.byUserId.get(userId)) ||
    (phone !== null && cards.byPhone.get(phone)) || null;
  // A card that names someone else as well is not theirs.
  const isTheirs = card !== null &&
    (phone === null || card.phone === null || card.phone === phone) &&
    (userId === null || card.user_id === null || card.user_id === userId);
  if (!isTheirs) return { phone, user_id: userId, name: null, username: null };
  return { ...card, phone: phone ?? card.phone, user_id: userId ?? card.user_id };
}
