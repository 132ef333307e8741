import * as z from "zod";

// Fields that more than one resource has. Lengths count characters as a person does (code points), which
// is also how the database and JSON Schema count. What zod's checks do not tell JSON Schema stands in
// `meta`, beside the check, for the API's description.

/** An id of a row. */
export const Id = z.guid();

/** The path of one row: `{ id }`. */
export const IdParams = z.object({ id: Id });

/** As the database writes it, to the microsecond; Date would round it and skip rows of a page. */
export const Timestamp = z.iso.datetime({ offset: true })
  .regex(/^(?!0000).*[+-](0\d|1[0-4]):[0-5]\d$/)
  .meta({ format: "date-time" });

/** A field that the service sets and no caller. */
export function readOnly<Schema extends z.ZodType>(field: Schema): Schema {
  return field.meta({ ...field.meta(), readOnly: true });
}

/** The fields that every row begins with. */
export const ROW = { id: readOnly(Id), company_id: readOnly(Id) };

/** The fields that every row ends with. */
export const ROW_TIMES = { created_at: readOnly(Timestamp), updated_at: readOnly(Timestamp) };

/** A string, trimmed, of at most `max` characters, that Postgres can keep as it is. */
export function text(max: number) {
  return storable(z.string().trim(), max);
}

/** A string kept to the byte, of at most `max` characters. */
export function verbatim(max: number) {
  return storable(z.string(), max);
}

function storable(string: z.ZodString, max: number) {
  return string
    .refine((value) => [...value].length <= max, `must have at most ${max} characters`)
    .refine(isStorable, NOT_STORABLE)
    .meta({ maxLength: max });
}

/** A text, from `text` or `verbatim`, that must say something. */
export function required<Text extends z.ZodString>(text: Text): Text {
  return text
    .refine((value) => value.trim() !== "", "must not be empty")
    .meta({ ...text.meta(), minLength: 1, pattern: "\\S" });
}

/** A trimmed text that must say something. */
export function requiredText(max: number) {
  return required(text(max));
}

export const NOT_STORABLE = "must not contain the null character or half a surrogate pair";

/** Postgres has no null character in text, and half a surrogate pair is no character at all. */
export function isStorable(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

const MAX_MONEY = 999_999_999_999.99;

/** An amount of money: two decimals, and small enough for numeric(14, 2). */
export const Money = z.number()
  .refine((value) => value >= 0, "must not be negative")
  .refine((value) => value <= MAX_MONEY, `must be at most ${MAX_MONEY}`)
  .refine(
    (value) => Math.round(value * 100) / 100 === value,
    "must have at most two decimals",
  )
  .meta({ minimum: 0, maximum: MAX_MONEY, multipleOf: 0.01 });

/** E.164 with the plus sign. Kept as sent: a trimmed or rewritten number would not be the caller's. */
export const Phone = z.string().regex(
  /^\+[1-9][0-9]{6,14}$/,
  "must be in E.164 format with a leading plus sign, such as +5511987654321",
);

// Lenient where mail systems differ (any script, any printable local part), strict about the shape.
const EMAIL =
  /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\]\\\p{C}]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u;

/** An email address, trimmed, also one in another script. */
export const Email = text(320).regex(EMAIL, "must be an email address")
  .meta({ maxLength: 320, format: "idn-email" });

/** A change that changes nothing is a mistake of the caller's. */
export function atLeastOne<Shape extends z.ZodRawShape>(
  changes: z.ZodObject<Shape, z.core.$strict>,
) {
  const names = Object.keys(changes.shape).join(", ");
  return changes.refine((value) => Object.keys(value).length > 0, {
    error: `must have at least one of ${names}`,
  }).meta({ minProperties: 1 });
}

/**
 * The same input, of which the API's description says what is stored where a field is left out. The
 * database does that; nothing is filled in here.
 */
export function withDefaults<Input extends z.ZodObject>(
  input: Input,
  defaults: { [Field in keyof z.output<Input>]?: z.output<Input>[Field] },
): Input {
  const fields = Object.entries(defaults).map(([field, value]) => {
    const schema: z.ZodType = input.shape[field];
    return [field, schema.meta({ ...schema.meta(), default: value })];
  });
  return input.extend(Object.fromEntries(fields)) as unknown as Input;
}
