import * as z from "zod";

// Fields that more than one resource has. Limits are counted in characters as a person counts them
// (code points), which is also how the database counts.

/** A string, trimmed, of at most `max` characters, that Postgres can keep as it is. */
export function text(max: number) {
  return z.string()
    .trim()
    .refine((value) => [...value].length <= max, `must have at most ${max} characters`)
    .refine(isStorable, NOT_STORABLE);
}

/** A text that must say something. */
export function requiredText(max: number) {
  return text(max).refine((value) => value !== "", "must not be empty");
}

export const NOT_STORABLE = "must not contain the null character or half a surrogate pair";

/** Postgres has no null character in text, and half a surrogate pair is no character at all. */
export function isStorable(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

/** An amount of money: two decimals, and small enough for numeric(14, 2). */
export const Money = z.number()
  .refine((value) => value >= 0, "must not be negative")
  .refine((value) => value <= 999_999_999_999.99, "must be at most 999999999999.99")
  .refine(
    (value) => Math.round(value * 100) / 100 === value,
    "must have at most two decimals",
  );

/** E.164 with the plus sign. Kept as sent: a trimmed or rewritten number would not be the caller's. */
export const Phone = z.string().regex(
  /^\+[1-9][0-9]{6,14}$/,
  "must be in E.164 format with a leading plus sign, such as +5511987654321",
);

// Lenient where mail systems differ (any script, any printable local part), strict about the shape.
const EMAIL =
  /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\]\\\p{C}]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u;

export const Email = text(320).regex(EMAIL, "must be an email address");

/** A change that changes nothing is a mistake of the caller's. */
export function atLeastOne<Shape extends z.ZodRawShape>(changes: z.ZodObject<Shape>) {
  const names = Object.keys(changes.shape).join(", ");
  return changes.refine((value) => Object.keys(value).length > 0, {
    error: `must have at least one of ${names}`,
  });
}
