/**
 * A number in JSON that would not be kept as it was written: more digits than a JavaScript number
 * has, or beyond its range. It stands where the number stood, so that whoever checks the value can
 * say where.
 */
export class InexactNumber {
  static readonly message =
    "is a number that cannot be kept exactly; send fewer digits, or a string";
}

/** A name stands more than once in one object, and JSON.parse would keep just the last of them. */
export class RepeatedKeys extends Error {
  override name = "RepeatedKeys";
  constructor(readonly keys: string[]) {
    super("keys are repeated");
  }
}

/**
 * A value as JSON.parse reads it, but for what that would change in silence.
 * @throws SyntaxError when it is not JSON; RangeError when it is nested too deeply to be looked
 *   through; RepeatedKeys.
 */
export function parseStrictly(text: string): unknown {
  const value: unknown = JSON.parse(text, markInexact as Parameters<typeof JSON.parse>[1]);
  const keys = repeatedKeys(text, value);
  if (keys.length > 0) throw new RepeatedKeys(keys);
  return value;
}

function markInexact(_key: string, value: unknown, context: { source: string }): unknown {
  return typeof value === "number" && !isExact(context.source, value) ? new InexactNumber() : value;
}

/** Whether a number as read is the number as written. */
function isExact(source: string, value: number): boolean {
  return decimal(source) === decimal(String(value));
}

/** One spelling for every way to write a decimal number: its digits, and where the point goes. */
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

/** By hand, because /0+$/ looks at every run of zeros from each of its zeros: minutes for a million. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

const STRING = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** Names that the text has more often than the value that was read from it. */
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
