// People's messages are stored as text and jsonb, but Postgres refuses null characters and unpaired
// surrogates. If an event with such a string were refused, the channel would resend it for a week.
// So every string of an item is cleaned.

/** JSON that Postgres accepts. */
export type Clean = string | number | boolean | null | Clean[] | { [key: string]: Clean };

/** The maximum size, in bytes, of an object that is stored unchanged. */
const MAX_BYTES = 64 * 1024;
/** The channel's own objects have about six levels. Postgres accepts several thousand levels. */
const MAX_DEPTH = 32;

/** A string without null characters and unpaired surrogates, with at most this many characters. */
export function cleanText(text: string, maxLength: number): string {
  const clean = text.toWellFormed().replaceAll("\0", "\ufffd");
  if (clean.length <= maxLength) return clean;
  // A character may have two UTF-16 units. Truncation must not split a character.
  let end = 0;
  for (let count = 0; count < maxLength && end < clean.length; count++) {
    end += clean.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return clean.slice(0, end);
}

/**
 * Cleans the keys and strings of an object from the channel, so that it can be stored. An object
 * that is too large or too deep becomes `{ "truncated": true }`; the stored event still has the
 * whole object.
 */
export function cleanObject(value: Record<string, unknown>): { [key: string]: Clean } {
  try {
    return cleaned(value, { bytes: MAX_BYTES }, 0) as { [key: string]: Clean };
  } catch (error) {
    if (error !== TOO_MUCH) throw error;
    return { truncated: true };
  }
}

const TOO_MUCH = Symbol("too much");

function cleaned(value: unknown, left: { bytes: number }, depth: number): Clean {
  if (depth > MAX_DEPTH) throw TOO_MUCH;
  if (typeof value === "string") {
    const clean = value.toWellFormed().replaceAll("\0", "\ufffd");
    take(left, sizeOf(clean));
    return clean;
  }
  if (typeof value === "number") {
    // Postgres stores a number with all its digits: 1e300 would have 301. So a very large or very
    // small number becomes a string.
    const isLong = Math.abs(value) >= 1e21 || (value !== 0 && Math.abs(value) < 1e-21);
    const kept = isLong ? String(value) : value;
    take(left, 24);
    return kept;
  }
  if (typeof value === "boolean" || value === null) {
    take(left, 5);
    return value;
  }
  take(left, 2);
  if (Array.isArray(value)) {
    return value.map((item) => {
      take(left, 2);
      return cleaned(item, left, depth + 1);
    });
  }
  // Every key becomes an own property, even __proto__.
  return Object.fromEntries(
    Object.entries(value as object).map(([key, item]) => {
      const clean = key.toWellFormed().replaceAll("\0", "\ufffd");
      take(left, sizeOf(clean) + 4);
      return [clean, cleaned(item, left, depth + 1)];
    }),
  );
}

function take(left: { bytes: number }, bytes: number) {
  left.bytes -= bytes;
  if (left.bytes < 0) throw TOO_MUCH;
}

const encoder = new TextEncoder();

/** The number of bytes that a string takes in JSON. */
function sizeOf(text: string): number {
  // Such a long string exceeds the limit even without its escapes, so it is not encoded.
  if (text.length > MAX_BYTES) return MAX_BYTES + 1;
  return encoder.encode(JSON.stringify(text)).length;
}
