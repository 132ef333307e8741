import * as z from "zod";

// Fields that more than one resource has. A length counts code points, as the database and JSON Schema do.
// Where zod cannot express a check in JSON Schema, `meta` has it for the API's description.

/** An id of a row. */
export const Id = z.guid();

/** The parameters in the path of one row: `{ id }`. */
export const IdParams = z.object({ id: Id });

/** A time as the database writes it, to the microsecond. A Date would round it, and a page could skip rows. */
export const Timestamp = z.iso.datetime({ offset: true })
  .regex(/^(?!0000).*[+-](0\d|1[0-4]):[0-5]\d$/)
  .meta({ format: "date-time" });

/** A field that the service sets, and callers cannot. */
export function readOnly<Schema extends z.ZodType>(field: Schema): Schema {
  return field.meta({ ...field.meta(), readOnly: true });
}

/** The first fields of every row. */
export const ROW_IDS = { id: readOnly(Id), company_id: readOnly(Id) };

/** The last fields of every row. */
export const ROW_TIMES = { created_at: readOnly(Timestamp), updated_at: readOnly(Timestamp) };

/** The number of the latest change of a record, which is its ETag without the quotes. More than a number can hold. */
export const Version = z.string().regex(/^[0-9]{1,19}$/);

/** The last fields of every row that has a version. */
export const ROW_CHANGE = { ...ROW_TIMES, version: readOnly(Version) };

/** The message about a text that is not storable. */
export const NOT_STORABLE = "must not contain the null character or half a surrogate pair";

/** A text of at most `max` characters, trimmed, that Postgres can store unchanged. */
export function text(max: number) {
  return storable(z.string().trim(), max);
}

/** A text of at most `max` characters, kept to the byte. */
export function verbatim(max: number) {
  return storable(z.string(), max);
}

function storable(string: z.ZodString, max: number) {
  return string
    .refine((value) => isWithin(max, value), {
      error: `must have at most ${max} characters`,
      abort: true, // a text that is far too long is not looked at any further
    })
    .refine(isStorable, NOT_STORABLE)
    .meta({ maxLength: max });
}

/** Whether a text has at most `max` characters. Each takes one or two units of its length. */
function isWithin(max: number, text: string): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}

/** A text, from `text` or `verbatim`, that must have a character other than white space. */
export function required<Text extends z.ZodString>(text: Text): Text {
  return text
    .refine((value) => value.trim() !== "", "must not be empty")
    .meta({ ...text.meta(), minLength: 1, pattern: "\\S" });
}

/** A trimmed text of 1 to `max` characters. */
export function requiredText(max: number) {
  return required(text(max));
}

/** The text of most fields. One schema serves them all: making one takes a tenth of a millisecond at the start. */
export const ShortText = text(255);

/** The same, of at least one character. */
export const RequiredShortText = required(ShortText);

/** Whether Postgres can store a text: without the null character and without half a surrogate pair. */
export function isStorable(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

const MAX_MONEY = 999_999_999_999.99;

/** An amount of money with at most two decimals, within numeric(14, 2). */
export const Money = z.number()
  .refine((value) => value >= 0, "must not be negative")
  .refine((value) => value <= MAX_MONEY, `must be at most ${MAX_MONEY}`)
  .refine(
    (value) => Math.round(value * 100) / 100 === value,
    "must have at most two decimals",
  )
  .meta({ minimum: 0, maximum: MAX_MONEY, multipleOf: 0.01 });

/** The greatest integer of a column. */
const MAX_INTEGER = 2_147_483_647;

/** A place in an order, which begins with 0. */
export const Position = z.number()
  .refine(
    (value) => Number.isInteger(value) && value >= 0 && value <= MAX_INTEGER,
    `must be a whole number from 0 to ${MAX_INTEGER}`,
  )
  .meta({ type: "integer", minimum: 0, maximum: MAX_INTEGER });

/** A phone in E.164 with the plus sign. Not trimmed: a phone is stored exactly as the caller sent it. */
export const Phone = z.string().regex(
  /^\+[1-9][0-9]{6,14}$/,
  "must be in E.164 format with a leading plus sign, such as +5511987654321",
);

/** The channel's id of a phone number. */
export const PhoneNumberId = z.string().regex(
  /^[0-9]{1,32}$/,
  "must be the id of a phone number on the channel, which is made of digits",
);

/** The caller's name of one send, kept to the byte. */
export const IdempotencyKey = verbatim(200)
  .refine((value) => value !== "", "must not be empty")
  .meta({ minLength: 1, maxLength: 200 });

/** The language of a template, as the channel writes it. */
export const LanguageCode = z.string().regex(
  /^[a-z]{2,3}(_[A-Za-z]{2,4})?$/,
  "must be a template language code such as pt_BR or en",
);

// Lenient where mail systems differ (any script, almost any local part), strict about the shape.
const EMAIL =
  /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\]\\\p{C}]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u;

/** An email address in any script, trimmed. */
export const Email = text(320).regex(EMAIL, "must be an email address")
  .meta({ maxLength: 320, format: "idn-email" });

/** Changes of which a request must have at least one: an empty change is a mistake. */
export function atLeastOne<Shape extends z.ZodRawShape>(
  changes: z.ZodObject<Shape, z.core.$strict>,
) {
  const names = Object.keys(changes.shape).join(", ");
  return changes.refine((value) => Object.keys(value).length > 0, {
    error: `must have at least one of ${names}`,
  }).meta({ minProperties: 1 });
}

/** Changes of the record with this id, of which there must be at least one: an item of a batch. */
export function changesById<Shape extends z.ZodRawShape>(
  changes: z.ZodObject<Shape, z.core.$strict>,
) {
  const names = Object.keys(changes.shape).join(", ");
  return z.strictObject({ id: Id, ...changes.shape })
    .refine((value) => Object.keys(value).length > 1, {
      error: `must have at least one of ${names}`,
    }).meta({ minProperties: 2 });
}

/**
 * The same input, with the defaults in the API's description. The database fills them in; the schema does
 * not.
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
