import { createHash } from "node:crypto";
import { phoneKey } from "../supabase/functions/gateway/records/phone_key.ts";

/** A person who uses the channel's app. */
export interface Person {
  /** The id by which the channel identifies the person to the sandbox's businesses (BSUID). */
  userId: string;
  name: string;
  /** The phone with its plus sign; null when the sandbox does not know it. */
  phone: string | null;
}

/** A person's last message to a phone number of the business. `phone` or `userId` may be null. */
export interface OpenWindow {
  phoneNumberId: string;
  /** With its plus sign. */
  phone: string | null;
  userId: string | null;
  /** When the person wrote last, in milliseconds. */
  at: number;
}

/** For this long after a person's message, free replies are allowed. */
const WINDOW_MS = 24 * 60 * 60 * 1000;
/**
 * Each map keeps only the newest entries, so that a sandbox that runs for days does not fill the
 * memory.
 */
const MAX_REMEMBERED = 10_000;

/**
 * The calling codes that occur in the demo data. A person with another calling code gets the
 * reserved country code ZZ.
 */
const COUNTRIES: [code: string, country: string][] = [
  ["+1", "US"],
  ["+33", "FR"],
  ["+34", "ES"],
  ["+351", "PT"],
  ["+44", "GB"],
  ["+49", "DE"],
  ["+52", "MX"],
  ["+54", "AR"],
  ["+55", "BR"],
];

/**
 * The people whom the sandbox knows: everyone with a phone number, and people without a phone
 * number who have written. All formats of a phone number belong to the same id.
 *
 * @param now the sandbox's clock, in milliseconds.
 * @param windows the last messages that people wrote before the sandbox started.
 */
export function people(now: () => number, windows: OpenWindow[] = []) {
  const byPhone = new Map<string, Person>();
  const byUserId = new Map<string, Person>();
  const lastWrote = new Map<string, number>();

  const remember = (person: Person, phone: string | null): Person => {
    put(byUserId, person.userId, person);
    if (phone !== null) put(byPhone, phoneKey(phone), person);
    return person;
  };

  const find = (phone: string | null, told: { userId?: string; name?: string } = {}): Person => {
    const known = phone === null ? undefined : byPhone.get(phoneKey(phone));
    const userId = told.userId ?? known?.userId ?? userIdOf(phone!);
    const name = told.name ?? byUserId.get(userId)?.name ?? `Person ${lastFour(phone ?? userId)}`;
    return remember({ userId, name, phone: phone ?? byUserId.get(userId)?.phone ?? null }, phone);
  };
  const lastOf = ({ userId }: Person, phoneNumberId: string) =>
    lastWrote.get(`${phoneNumberId} ${userId}`) ?? -Infinity;
  const wrote = (person: Person, phoneNumberId: string, at: number) =>
    put(
      lastWrote,
      `${phoneNumberId} ${person.userId}`,
      Math.max(at, lastOf(person, phoneNumberId)),
    );

  for (const { phoneNumberId, phone, userId, at } of windows) {
    wrote(find(phone, { userId: userId ?? undefined }), phoneNumberId, at);
  }

  return {
    /**
     * The person with this phone number or id.
     * @param phone the phone number with its plus sign.
     * @param told new data about the person, which is stored.
     */
    find,
    /** Records that the person wrote to a number at this time. */
    wrote,
    /** Until when free replies from this number to the person are allowed, in milliseconds. */
    windowEnd: (person: Person, phoneNumberId: string) => lastOf(person, phoneNumberId) + WINDOW_MS,
    /** Whether free replies from this number to the person are allowed. */
    hasWindow: (person: Person, phoneNumberId: string) =>
      now() - lastOf(person, phoneNumberId) < WINDOW_MS,
  };
}

/** The id of the person with this phone number. Every sandbox uses the same id. */
function userIdOf(phone: string): string {
  const digest = createHash("sha256").update(phoneKey(phone)).digest();
  const [, country = "ZZ"] = COUNTRIES.find(([code]) => phone.startsWith(code)) ?? [];
  return `${country}.${String(digest.readBigUInt64BE() % 10n ** 16n).padStart(16, "0")}`;
}

function lastFour(text: string): string {
  return text.slice(-4);
}

/** Adds an entry as the newest, and removes the oldest when there are too many. */
function put<Value>(map: Map<string, Value>, key: string, value: Value) {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value!);
}
