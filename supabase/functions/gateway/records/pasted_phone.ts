import { type Condition, isAnyOf, isLike } from "./conditions.ts";
import { phoneKey } from "./phone_key.ts";
import { folded, patternOf } from "./searched_words.ts";

// People paste phone numbers into a search in many formats: +55 (21) 99000-0001, or 99000-0001
// without the country code. The parts of such a number are not words of the stored phone number, so
// all digits are searched together.

/** The columns that a resource uses to find phone numbers. */
export interface PhoneColumns {
  /** The column with the stored phone number, with a space in place of the plus sign. */
  words: string;
  /** The column with the phone key. */
  key: string;
}

/** The words of a search that contains a phone number. */
export interface PastedPhone {
  /** The words that are not part of the phone number. */
  others: string[];
  /** The words of the phone number, which consist only of digits. */
  parts: string[];
  /** Patterns for the column with stored phone numbers. */
  patterns: string[];
  /** The phone keys that the digits may represent. */
  keys: string[];
}

/**
 * Dashes from other scripts, and invisible characters that programs add to a copied phone number.
 */
const UNSEEN = /[\u200b-\u2015\u202a-\u202e\u2060-\u2069\u2212\ufeff]+/g;
const DIGITS = /^[0-9]+$/;
/**
 * The minimum and maximum number of digits. Fewer digits would match many phone numbers, and more
 * digits cannot be a phone number (E.164).
 */
const [FEWEST, MOST] = [8, 15];
/**
 * The codes of countries whose phone numbers can be written in several ways. The empty code is for
 * digits that already include a country code.
 */
const COUNTRIES = ["", "55", "52", "54"];

/**
 * Returns the first phone number in a search text. Returns null if the text contains no phone
 * number.
 */
export function pastedPhone(text: string): PastedPhone | null {
  const words = folded(text.replace(UNSEEN, " ")).split(" ").filter((word) => word !== "");
  for (let [from, to] = [0, 0]; from < words.length; from = ++to) {
    while (to < words.length && DIGITS.test(words[to])) to++;
    const parts = words.slice(from, to);
    // People dial leading zeros to reach another area or country. The zeros are not part of the
    // phone number.
    const digits = parts.join("").replace(/^0+/, "");
    if (digits.length < FEWEST || digits.length > MOST) continue;
    return {
      others: [...words.slice(0, from), ...words.slice(to)],
      parts,
      patterns: patternsOf(digits),
      keys: keysOf(digits),
    };
  }
  return null;
}

function patternsOf(digits: string): string[] {
  // A Brazilian mobile number without its area code. The number may be stored without the ninth
  // digit.
  const old = /^9[6-9][0-9]{7}$/.test(digits) ? [`% 55__${digits.slice(1)}`] : [];
  return [`%${digits}%`, ...old];
}

/**
 * A caller may leave out the country code. The search therefore tries the digits with the code of
 * each of these countries.
 */
function keysOf(digits: string): string[] {
  const phones = COUNTRIES.map((country) => `+${country}${digits}`)
    .filter((phone) => phone.length <= MOST + 1);
  return [...new Set(phones.map(phoneKey))];
}

/**
 * Returns the condition for rows that contain a phone number, or its parts as words.
 * @param columns the columns with the folded text of the searched fields.
 */
export function hasPhone(
  { parts, patterns, keys }: PastedPhone,
  columns: string[],
  phones: PhoneColumns,
): Condition {
  return {
    anyOf: [
      { allOf: parts.flatMap((part) => isLike(columns, patternOf(part))) },
      ...patterns.flatMap((pattern) => isLike([phones.words], pattern)),
      ...isAnyOf(phones.key, keys),
    ],
  };
}
