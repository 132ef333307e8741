/**
 * The result of one scan of a JSON body's bytes before the body is parsed. The result is exact when
 * the body is valid JSON.
 */
export interface JsonSurvey {
  /**
   * The number of values: strings, numbers, literals, arrays and objects, including the outermost
   * value.
   */
  values: number;
  /** The number of keys in all objects. A duplicate key is counted each time. */
  keys: number;
  /** The maximum nesting depth of arrays and objects. */
  depth: number;
  /** The number of digits in the longest number, without the exponent. */
  digits: number;
  /** Whether there may be a number that JavaScript cannot represent exactly. */
  hasLongNumber: boolean;
  /** Whether any key contains an escape sequence. */
  hasEscapedKey: boolean;
}

/**
 * A number with at most this many digits, and without an exponent, is always represented exactly.
 */
const EXACT_DIGITS = 15;

// The characters are separate constants, so that the compiler treats them as plain numbers.
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
/** Whitespace and control characters have this character code or a lower one. */
const SPACE = 0x20;
/** The uppercase and the lowercase form of a letter differ in this bit. */
const SMALL = 0x20;

/**
 * Scans a JSON body. A scan takes much less time than parsing, and no memory. So a body from an
 * unknown caller can be scanned safely.
 */
export function surveyJson(json: Uint8Array): JsonSurvey {
  let [commas, keys, opened, empty, open, depth, digits, most] = [0, 0, 0, 0, 0, 0, 0, 0];
  let [hasExponent, hasEscapedKey, isEscaped] = [false, false, false];
  /** The last byte that is neither whitespace nor part of a string. */
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
  // The function counts the outermost value, one value after each comma, and the first value in
  // each array and object that is not empty.
  const values = 1 + commas + opened - empty;
  const hasLongNumber = hasExponent || most > EXACT_DIGITS;
  return { values, keys, depth, digits: most, hasLongNumber, hasEscapedKey };
}
