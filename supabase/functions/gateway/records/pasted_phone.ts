import { type Condition, isAnyOf, isLike } from "./conditions.ts";
import { phoneKey } from "./phone_key.ts";
import { folded, patternOf } from "./searched_words.ts";

// People paste a phone into a search as they found it: +55 (21) 99000-0001, or 99000-0001 without
// the country. The parts of such a phone are not words of the stored phone, so the digits are
// searched together.

/** The columns by which a resource finds phones. */
export interface PhoneColumns {
  /** The column with the stored phone, with a space in place of the plus sign. */
  words: string;
  /** The column with the phone key. */
  key: string;
}

/** The words of a search. Some of these words are a phone. */
export interface PastedPhone {
  /** The words that are not part of the phone. */
  others: string[];
  /** The words of the phone, which are all digits. */
  parts: string[];
  /** Patterns for the column of stored phones. */
  patterns: string[];
  /** The phone keys that the digits may mean. */
  keys: string[];
}

/** Dashes of other scripts, and invisible characters that programs add to a phone when it is copied. */
const UNSEEN = /[\u200b-\u2015\u202a-\u202e\u2060-\u2069\u2212\ufeff]+/g;
const DIGITS = /^[0-9]+$/;
/** Fewer digits are a part of many phones. More digits than this cannot be a phone (E.164). */
const [FEWEST, MOST] = [8, 15];
/**
 * The codes of the countries in which a phone has several spellings. The empty code is for digits
 * that include a country code.
 */
const COUNTRIES = ["", "55", "52", "54"];

/** The first phone in a text to search for; null when the text has no phone. */
export function pastedPhone(text: string): PastedPhone | null {
  const words = folded(text.replace(UNSEEN, " ")).split(" ").filter((word) => word !== "");
  for (let [from, to] = [0, 0]; from < words.length; from = ++to) {
    while (to < words.length && DIGITS.test(words[to])) to++;
    const parts = words.slice(from, to);
    // People dial leading zeros to reach another area or country. The zeros are not part of the
    // phone.
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
  // A Brazilian mobile without its area. The phone may be stored without the ninth digit.
  const old = /^9[6-9][0-9]{7}$/.test(digits) ? [`% 55__${digits.slice(1)}`] : [];
  return [`%${digits}%`, ...old];
}

/**
 * A caller may leave out the country. So the search tries the digits with the code of each of these
 * countries.
 */
function keysOf(digits: string): string[] {
  const phones = COUNTRIES.map((country) => `+${country}${digits}`)
    .filter((phone) => phone.length <= MOST + 1);
  return [...new Set(phones.map(phoneKey))];
}

/**
 * Finds rows with a phone, or with its parts as words.
 * @param columns with the folded texts of the searched fields.
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
