import type { Person } from "./item.ts";
import { idIn, list, objectIn, phoneIn, textIn } from "./loose.ts";

/**
 * The contact cards that a change has in addition to its messages, by the ids that they contain.
 */
export interface Cards {
  byPhone: Map<string, Person>;
  byUserId: Map<string, Person>;
}

/** The maximum number of cards. The channel sends one card in all, or one for each message. */
const MAX_CARDS = 10_000;

/** The cards in the `contacts` of a change. The list can be missing. */
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
 * The person with this phone number and this user id, with the details from their contact card. The
 * card is found by the ids, never by its position. Null when there is neither a phone number nor a
 * user id.
 */
export function personWith(
  phone: string | null,
  userId: string | null,
  cards: Cards,
): Person | null {
  if (phone === null && userId === null) return null;
  const card = (userId !== null && cards.byUserId.get(userId)) ||
    (phone !== null && cards.byPhone.get(phone)) || null;
  // A card with another phone number or another user id belongs to another person.
  const isTheirs = card !== null &&
    (phone === null || card.phone === null || card.phone === phone) &&
    (userId === null || card.user_id === null || card.user_id === userId);
  if (!isTheirs) return { phone, user_id: userId, name: null, username: null };
  return { ...card, phone: phone ?? card.phone, user_id: userId ?? card.user_id };
}
