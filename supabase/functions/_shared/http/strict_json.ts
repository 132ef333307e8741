import type { JsonSurvey } from "./json_survey.ts";

/**
 * Takes the place of a JSON number that JavaScript cannot keep exactly: it has too many digits or is out of
 * range. So the schema that checks the value can name the field.
 */
export class InexactNumber {
  static readonly message =
    "is a number that cannot be kept exactly; send fewer digits, or a string";
}

/** A key is given more than once in one object. JSON.parse would keep only the last value. */
export class RepeatedKeys extends Error {
  override name = "RepeatedKeys";
  constructor(readonly keys: string[]) {
    super("keys are repeated");
  }
}

/**
 * Parses JSON without changing anything in silence: an inexact number becomes an InexactNumber. It looks at
 * single numbers and keys only where the survey gives a reason to.
 *
 * @param survey of the same text. Its `depth` must be bounded: thousands of levels overflow the stack.
 * @throws SyntaxError when the text is not JSON; RepeatedKeys.
 */
export function parseStrictly(
  text: string,
  { keys, hasLongNumber, hasEscapedKey }: JsonSurvey,
): unknown {
  const reviver = hasLongNumber ? markInexact as Parameters<typeof JSON.parse>[1] : undefined;
  const value = hasEscapedKey ? parseEscapedKeys(text, reviver) : JSON.parse(text, reviver);
  if (keysIn(value) < keys) throw new RepeatedKeys(repeatedKeys(text, value));
  return value;
}

function markInexact(_key: string, value: unknown, context: { source: string }): unknown {
  return typeof value === "number" && !isExact(context.source, value) ? new InexactNumber() : value;
}

/** Whether a number was read exactly as it was written. */
function isExact(source: string, value: number): boolean {
  return decimal(source) === decimal(String(value));
}

/** One spelling for all ways to write a decimal number; null when the text is not one. */
function decimal(text: string): string | null {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === undefined) return null; // Infinity
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = withoutZerosAtEnd(digits);
  if (significant === "") return "0";
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

/** A loop, because /0+$/ takes quadratic time on zeros within a number: minutes for a million digits. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/**
 * Parses JSON that has keys with escapes. V8 (as of 15.0) may take such a key for another one, which an
 * earlier text had: `"\u0061"` for `"\\"` (nodejs/node#63785). So the keys are parsed apart, as values, and
 * other names stand for them meanwhile.
 */
function parseEscapedKeys(text: string, reviver: Parameters<typeof JSON.parse>[1]): unknown {
  const names = new Map<string, string>();
  // No caller knows it, so that no other key is the same.
  const prefix = crypto.randomUUID();
  const plain = text.replace(STRING, (all, string: string, colon?: string) => {
    if (!colon || !string.includes("\\")) return all;
    const standIn = `${prefix} ${names.size}`;
    names.set(standIn, JSON.parse(string));
    return `"${standIn}"${colon}`;
  });
  return renamed(JSON.parse(plain, reviver), names);
}

/** The same value, with other names of keys. */
function renamed(value: unknown, names: Map<string, string>): unknown {
  if (Array.isArray(value)) return value.map((part) => renamed(part, names));
  if (typeof value !== "object" || value === null || value instanceof InexactNumber) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, part]) => [names.get(key) ?? key, renamed(part, names)]),
  );
}

/** How many keys the objects in a value have. */
function keysIn(value: unknown): number {
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

/** The keys that are more often in the text than in the value that was read from it. */
function repeatedKeys(text: string, value: unknown): string[] {
  const counts = new Map<string, number>();
  const count = (key: string, by: number) => counts.set(key, (counts.get(key) ?? 0) + by);
  for (const [, string, colon] of text.matchAll(STRING)) {
    if (colon) count(JSON.parse(string), 1);
  }
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) Object.keys(next).forEach((key) => count(key, -1));
    for (const part of Object.values(next)) open.push(part);
  }
  return [...counts.keys()].filter((key) => counts.get(key)! > 0);
}
