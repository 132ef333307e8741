// Reads parts of a parsed event. The channel adds keys and values without notice. So a value that
// is missing or has another type becomes null, and nothing throws.
import { cleanText } from "./clean.ts";

export type Loose = Record<string, unknown>;

/** A JSON object; null for anything else. */
export function object(value: unknown): Loose | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Loose
    : null;
}

/**
 * A property of an object. Inherited properties, such as `constructor`, do not count.
 */
export function member(value: unknown, key: string): unknown {
  const from = object(value);
  return from && Object.hasOwn(from, key) ? from[key] : undefined;
}

/** A property that is an object. */
export function objectIn(value: unknown, key: string): Loose | null {
  return object(member(value, key));
}

/** The items of a list. A single item that is not in a list counts as a list of one item. */
export function list(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return object(value) ? [value] : [];
}

/** A property that is a string with at least one character, cleaned and truncated. */
export function textIn(value: unknown, key: string, maxLength: number): string | null {
  const text = member(value, key);
  return typeof text === "string" && text !== "" ? cleanText(text, maxLength) : null;
}

/** A property that is true or false. */
export function booleanIn(value: unknown, key: string): boolean | null {
  const found = member(value, key);
  return typeof found === "boolean" ? found : null;
}

/** A string, or a whole number converted to a string. */
function textOrNumber(value: unknown): string | null {
  if (typeof value === "string") return value;
  return Number.isSafeInteger(value) ? String(value) : null;
}

/** The id of a message, of media, or of a person: visible ASCII. */
export function idIn(value: unknown, key: string): string | null {
  const id = textOrNumber(member(value, key));
  return id !== null && /^[!-~]{1,255}$/.test(id) ? id : null;
}

/** The id of a number or of a business account: digits. */
export function digitsIn(value: unknown, key: string): string | null {
  const id = textOrNumber(member(value, key));
  return id !== null && /^[0-9]{1,32}$/.test(id) ? id : null;
}

/** A whole number that Postgres accepts as an integer, even if it is written as a string. */
export function integerIn(value: unknown, key: string): number | null {
  const text = textOrNumber(member(value, key));
  return text !== null && /^-?[0-9]{1,9}$/.test(text) ? Number(text) : null;
}

/** The channel did not exist before this time, so an earlier time is not valid. */
const EARLIEST = Date.UTC(2009, 0) / 1000;
const LATEST = Date.UTC(2100, 0) / 1000;

/** A time in ISO 8601. The channel sends a time in seconds, as a string or as a number. */
export function timeIn(value: unknown, key: string): string | null {
  const text = textOrNumber(member(value, key));
  const seconds = text !== null && /^[0-9]{1,12}$/.test(text) ? Number(text) : NaN;
  return seconds >= EARLIEST && seconds < LATEST ? new Date(seconds * 1000).toISOString() : null;
}

/**
 * A phone number as `+` and digits. The channel writes a phone number as digits, or in a
 * human-readable format.
 */
export function phoneIn(value: unknown, key: string): string | null {
  const text = textOrNumber(member(value, key));
  if (text === null || text.length > 40 || !/^\+?[0-9 ().-]+$/.test(text)) return null;
  const digits = text.replace(/[^0-9]/g, "");
  return /^[1-9][0-9]{6,14}$/.test(digits) ? `+${digits}` : null;
}
