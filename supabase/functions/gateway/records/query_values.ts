import { isStorable, NOT_STORABLE } from "../../_shared/http/fields.ts";
import { phoneKey } from "./phone_key.ts";

/**
 * One kind of query value: the string that a caller sends, and the value that the database
 * compares.
 */
export interface QueryValue {
  /** The strings that a caller may send, as a JSON Schema. */
  schema: Record<string, unknown>;
  /**
   * The rule that an invalid string violates, as a message that follows a field's name: "must be a
   * UUID".
   */
  must: string;
  /**
   * The rule for an empty string, if that rule differs. The message follows "has an empty value; ".
   */
  ifEmpty?: string;
  /** Returns the value for the database. Returns null if the string is invalid. */
  operand(text: string): string | null;
  /** All possible values for the database, if there are only a few. */
  all?: string[];
}

/**
 * Creates a kind of query value: strings that match this pattern.
 * @param operand returns the value that the database compares.
 */
function matching(
  pattern: RegExp,
  schema: object,
  must: string,
  operand = (text: string) => text,
): QueryValue {
  return {
    schema: { type: "string", ...schema },
    must,
    operand: (text) => pattern.test(text) ? operand(text) : null,
  };
}

/** A row id, in upper or lower case. */
export const UUID = matching(
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  { format: "uuid" },
  "must be a UUID",
  (text) => text.toLowerCase(),
);

/**
 * An id that the channel assigned, which consists of digits: the id of a phone number or of a
 * business account.
 */
export const CHANNEL_NUMBER = matching(
  /^[0-9]{1,32}$/,
  { pattern: "^[0-9]{1,32}$" },
  "must be an id from the channel, which has only digits",
);

/** A number with at most 15 digits before the decimal point and 6 after it. */
export const NUMBER = matching(
  /^-?\d{1,15}(\.\d{1,6})?$/,
  { pattern: "^-?\\d{1,15}(\\.\\d{1,6})?$" },
  "must be a number such as 1200 or 99.90, with at most 15 digits before the point and 6 after it",
);

/** A whole number that fits into a database integer. */
export const INTEGER: QueryValue = {
  schema: { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  must: "must be a whole number from -2147483648 to 2147483647",
  operand(text) {
    const number = Number(text);
    return /^-?\d{1,10}$/.test(text) && (number | 0) === number ? String(number) : null;
  },
};

/**
 * Creates a kind of query value: one of these words.
 * @param stored the form in which a word is stored, if callers see a different word.
 */
export function oneOf(
  words: readonly string[],
  { stored = {} }: { stored?: Record<string, string> } = {},
): QueryValue & { all: string[] } {
  return {
    schema: { type: "string", enum: words },
    must: `must be ${words.length === 2 ? words.join(" or ") : `one of ${words.join(", ")}`}`,
    operand: (text) => words.includes(text) ? stored[text] ?? text : null,
    all: words.map((word) => stored[word] ?? word),
  };
}

export const TRUE_OR_FALSE = oneOf(["true", "false"]);

/** A template's language code, as the channel writes it. */
export const LANGUAGE = matching(
  /^[a-z]{2,3}(_[A-Za-z]{2,4})?$/,
  { pattern: "^[a-z]{2,3}(_[A-Za-z]{2,4})?$" },
  "must be a template language code such as pt_BR or en",
);

const TEXT_SCHEMA = { type: "string", minLength: 1 };

/** Any string, which is compared literally. */
export const TEXT: QueryValue = {
  schema: TEXT_SCHEMA,
  must: NOT_STORABLE,
  operand: (text) => text !== "" && isStorable(text) ? text : null,
};

/** A constant that the channel defines. The channel writes its constants in upper case. */
export const UPPER_CASE: QueryValue = {
  ...TEXT,
  must: "must be a word that the channel uses, such as APPROVED or UTILITY",
  operand: (text) => TEXT.operand(text.toUpperCase()),
};

/** A string that is compared without regard to case. */
export const ANY_CASE: QueryValue = {
  ...TEXT,
  operand: (text) => TEXT.operand(Array.from(text, lowerCase).join("")),
};

/**
 * Returns the lower-case form of a letter as a single character, as in Postgres. JavaScript
 * converts a capital I with a dot to two characters.
 */
function lowerCase(letter: string): string {
  const [first] = letter.toLowerCase();
  return first;
}

/**
 * A phone number in any format, with its country code. People may write spaces, brackets and
 * hyphens of all kinds between the digits, and programs may add invisible characters.
 */
const A_PHONE =
  /^[\s().\-/\u2000-\u206f]*(?:(?:\+|00)[\s().\-/\u2000-\u206f]*)?[1-9](?:[\s().\-/\u2000-\u206f]*[0-9]){6,14}[\s().\-/\u2000-\u206f]*$/;

export const PHONE: QueryValue = matching(
  A_PHONE,
  { pattern: A_PHONE.source },
  "must be a phone with its country code, such as +5511987654321",
  (text) => phoneKey(`+${text.replace(/[^0-9]+/g, "").replace(/^00/, "")}`),
);

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})(T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?(Z|[+-](0\d|1[0-4]):[0-5]\d))?$/i;

/** A time with its UTC offset, or a day. A day means the beginning of that day in UTC. */
export const TIME: QueryValue = {
  schema: {
    anyOf: [
      { type: "string", format: "date-time", pattern: "^[^.]*(\\.[0-9]{1,6}(?![0-9])[^.]*)?$" },
      { type: "string", format: "date" },
    ],
  },
  must:
    "must be a time such as 2026-01-31T09:30:00Z, with at most six decimals, or a day such as " +
    "2026-01-31",
  operand(text) {
    const time = withPlusInOffset(text);
    const [, day, clock] = DATE_TIME.exec(time) ?? [];
    if (!day || day < "0001-01-02" || !isDay(day)) return null;
    return clock ? time : `${day}T00:00:00Z`;
  },
};

/** JavaScript's `Date` would read February 31 as a day in March. */
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * Replaces a space before the UTC offset of a time with a plus sign. In the query string of a URL,
 * a plus sign that is not written as `%2B` means a space. No time has a space at this position.
 */
export function withPlusInOffset(text: string): string {
  return text.at(-6) === " " ? `${text.slice(0, -6)}+${text.slice(-5)}` : text;
}
