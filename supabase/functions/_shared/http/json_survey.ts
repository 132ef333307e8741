/** What one pass over the bytes of a JSON text tells before it is parsed. Exact when the text is JSON. */
export interface JsonSurvey {
  /** How many values it has: texts, numbers, literals, arrays and objects, the outermost included. */
  values: number;
  /** How many keys its objects have, repeated ones included. */
  keys: number;
  /** How many arrays and objects are within each other at the deepest place. */
  depth: number;
  /** How many digits its longest number has, those of an exponent left out. */
  digits: number;
  /** Whether there may be a number that JavaScript cannot keep exactly. */
  hasLongNumber: boolean;
  /** Whether a key is written with an escape. */
  hasEscapedKey: boolean;
}

/** A number of so many digits, and without an exponent, is always kept exactly. */
const EXACT_DIGITS = 15;

// One by one, because the compiler then treats them as the numbers that they are.
const QUOTE = 0x22;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const SMALL_E = 0x65;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** White space and control characters are up to here. */
const SPACE = 0x20;
/** A capital letter differs from the small one in this bit. */
const SMALL = 0x20;

/**
 * Surveys a JSON text. It takes a small part of the time that parsing takes, whatever the text, and no
 * memory. So it can be asked about a text that nobody has vouched for.
 */
export function surveyJson(json: Uint8Array): JsonSurvey {
  let [commas, keys, opened, empty, open, depth, digits, most] = [0, 0, 0, 0, 0, 0, 0, 0];
  let [hasExponent, hasEscapedKey, isEscaped] = [false, false, false];
  /** The last byte that is no white space and not within a string. */
  let last = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte >= ZERO && byte <= NINE) {
      if (++digits > most) most = digits;
    } else if (byte !== DOT) {
      if (digits > 0 && (byte | SMALL) === SMALL_E) hasExponent = true;
      digits = 0;
      if (byte <= SPACE) continue;
      if (byte === QUOTE) {
        isEscaped = false;
        while (++at < json.length && json[at] !== QUOTE) {
          if (json[at] !== BACKSLASH) continue;
          isEscaped = true;
          at++;
        }
      } else if (byte === COMMA) {
        commas++;
      } else if (byte === COLON) {
        keys++;
        if (isEscaped) hasEscapedKey = true;
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        opened++;
        if (++open > depth) depth = open;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        open--;
        if (last === OPEN_ARRAY || last === OPEN_OBJECT) empty++;
      }
    }
    last = byte;
  }
  // The outermost value, one more after each comma, and the first one of each array and object with any.
  const values = 1 + commas + opened - empty;
  const hasLongNumber = hasExponent || most > EXACT_DIGITS;
  return { values, keys, depth, digits: most, hasLongNumber, hasEscapedKey };
}
