import type { JsonSurvey } from "./json_survey.ts";
import { keysIn } from "./json_tokens.ts";

/**
 * Replaces a JSON number that JavaScript cannot represent exactly, because it has too many digits
 * or is out of range. The schema that checks the value can then name the field.
 */
export class InexactNumber {
  static readonly message =
    "is a number that cannot be kept exactly; send fewer digits, or a string";
}

/**
 * The error about an object with duplicate keys. `JSON.parse` would silently keep only the last
 * value.
 */
export class RepeatedKeys extends Error {
  override name = "RepeatedKeys";
  constructor(readonly keys: string[]) {
    super("keys are repeated");
  }
}

/**
 * Parses JSON without silently changing anything: an inexact number becomes an `InexactNumber`.
 * Numbers are checked one by one only if the scan found a long number.
 *
 * @param survey the scan of the same string. Its `depth` must be limited: thousands of levels
 *   overflow the stack.
 * @throws SyntaxError when the string is not JSON; RepeatedKeys when an object has duplicate keys.
 */
export function parseStrictly(
  text: string,
  { keys, hasLongNumber, hasEscapedKey }: JsonSurvey,
): unknown {
  const reviver = hasLongNumber ? markInexact as Parameters<typeof JSON.parse>[1] : undefined;
  const value = hasEscapedKey ? parseEscapedKeys(text, reviver) : JSON.parse(text, reviver);
  if (countOfKeys(value) < keys) throw new RepeatedKeys(repeatedKeys(text, value));
  return value;
}

function markInexact(_key: string, value: unknown, context: { source: string }): unknown {
  return typeof value === "number" && !isExact(context.source, value) ? new InexactNumber() : value;
}

/** Whether parsing preserved the exact value of a number. */
function isExact(source: string, value: number): boolean {
  return decimal(source) === decimal(String(value));
}

/**
 * The canonical form of a decimal number; null when the string is not a decimal number.
 */
function decimal(text: string): string | null {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === undefined) return null; // not a number, such as Infinity
  const digits = (whole + fraction).replace(/^0+/, "");
  const [significant] = /^.*[^0]/.exec(digits) ?? [];
  if (significant === undefined) return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

/**
 * Parses JSON that has keys with escapes. V8 (as of 15.0) may confuse such a key with a key from a
 * previously parsed string: `"\u0061"` with `"\\"` (nodejs/node#63785). So each such key is
 * replaced by a temporary name during parsing, and the key itself is parsed as a value.
 */
function parseEscapedKeys(text: string, reviver: Parameters<typeof JSON.parse>[1]): unknown {
  const names = new Map<string, string>();
  // No caller can guess this prefix, so no key in the body begins with it.
  const prefix = crypto.randomUUID();
  let plain = "";
  let plainUntil = 0;
  for (const key of keysIn(text)) {
    if (!key.text.includes("\\")) continue;
    const standIn = `${prefix} ${names.size}`;
    names.set(standIn, JSON.parse(key.text));
    plain += `${text.slice(plainUntil, key.index)}"${standIn}"`;
    plainUntil = key.index + key.text.length;
  }
  return renamed(JSON.parse(plain + text.slice(plainUntil), reviver), names);
}

/** The same value, with the temporary names replaced by the real keys. */
function renamed(value: unknown, names: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((part) => renamed(part, names));
  if (typeof value !== "object" || value === null || value instanceof InexactNumber) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, part]) => [names.get(key) ?? key, renamed(part, names)]),
  );
}

/** The number of keys in all objects of a value. */
function countOfKeys(value: unknown): number {
  let count = 0;
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const parts = Object.values(next);
    if (!Array.isArray(next)) count += parts.length;
    for (const part of parts) if (typeof part === "object") open.push(part);
  }
  return count;
}

/** The keys that occur more often in the JSON string than in its parsed value. */
function repeatedKeys(text: string, value: unknown): string[] {
  const counts = new Map<string, number>();
  const count = (key: string, by: number) => counts.set(key, (counts.get(key) ?? 0) + by);
  for (const key of keysIn(text)) count(JSON.parse(key.text), 1);
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) Object.keys(next).forEach((key) => count(key, -1));
    for (const part of Object.values(next)) open.push(part);
  }
  return [...counts.keys()].filter((key) => counts.get(key)! > 0);
}
