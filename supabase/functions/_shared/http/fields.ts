import * as z from "zod/mini";

// Fields that more than one resource has. A length counts code points, as in Postgres and JSON
// Schema. If zod cannot express a check in JSON Schema, the check is registered in
// `z.globalRegistry` for the API's description.

/** The id of a row. */
export const Id = z.guid();

/** The path parameters of one row: `{ id }`. */
export const IdParams = z.object({ id: Id });

/**
 * A time as the database writes it, to the microsecond. A `Date` would round the time to the
 * millisecond, and pagination could then skip rows.
 */
export const Timestamp = z.iso.datetime({ offset: true }).check(
  z.regex(/^(?!0000).*[+-](0\d|1[0-4]):[0-5]\d$/),
).register(z.globalRegistry, { format: "date-time" });

const SENT_TIME =
  "must be a time such as 2026-11-22T12:00:00Z, with at most nine decimals and an " +
  "offset of at most 14:59";

/** A time that a caller sends, with `Z` or an offset. Postgres can read every such time. */
export function sentTime() {
  const error = ({ input }: { input?: unknown }) => input === null ? undefined : SENT_TIME;
  return z.iso.datetime({ offset: true, error, abort: true }).check(
    z.regex(/^(?!0000)[^.]*(\.\d{1,9})?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/, SENT_TIME),
  ).register(z.globalRegistry, { format: "date-time" });
}

/** The same schema, with additional metadata for the API's description. */
export function described<Schema extends z.core.$ZodType>(
  schema: Schema,
  facts: z.core.GlobalMeta,
): Schema {
  const copy = z.clone(schema);
  z.globalRegistry.add(copy, facts);
  return copy;
}

/** A field that only the service can set. */
export function readOnly<Schema extends z.core.$ZodType>(field: Schema): Schema {
  return described(field, { readOnly: true });
}

/** A time that only the service can set, or null. */
export const MaybeTime = readOnly(z.nullable(Timestamp));

/** The first fields of every row. */
export const ROW_IDS = { id: readOnly(Id), company_id: readOnly(Id) };

/** The last fields of every row. */
export const ROW_TIMES = { created_at: readOnly(Timestamp), updated_at: readOnly(Timestamp) };

/**
 * The number of the latest change of a record: its ETag without the quotes. The version is a
 * string, because a JavaScript number cannot represent it exactly.
 */
export const Version = z.string().check(z.regex(/^[0-9]{1,19}$/));

/** The last fields of every row that has a version. */
export const ROW_CHANGE = { ...ROW_TIMES, version: readOnly(Version) };

/** The message about a string that Postgres cannot store. */
export const NOT_STORABLE = "must not contain the null character or half a surrogate pair";

/** A trimmed string of at most `max` characters that Postgres can store unchanged. */
export function text(max: number) {
  return storable(max, z.trim());
}

const verbatims = new Map<number, ReturnType<typeof storable>>();

/** A string of at most `max` characters, which is stored without trimming. */
export function verbatim(max: number) {
  // Many fields have the same maximum length. Finding their schema is faster than building another.
  const schema = verbatims.get(max) ?? storable(max);
  verbatims.set(max, schema);
  return schema;
}

function storable(max: number, ...first: z.core.$ZodCheck<string>[]) {
  return z.string().check(
    ...first,
    z.refine((value) => isWithin(max, value), {
      error: `must have at most ${max} characters`,
      abort: true, // a string that is too long is not checked further
    }),
    z.refine(isStorable, NOT_STORABLE),
  ).register(z.globalRegistry, { maxLength: max });
}

/**
 * Whether a string has at most `max` characters. The `length` of a string counts some characters as
 * two.
 */
function isWithin(max: number, text: string): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max);
}

/**
 * Extends a schema from `text` or `verbatim`, so that it also requires at least one non-whitespace
 * character.
 */
export function required<Text extends z.ZodMiniString<string>>(text: Text): Text {
  return described(
    text.check(z.refine((value) => value.trim() !== "", "must not be empty")),
    { minLength: 1, pattern: "\\S" },
  );
}

/** A trimmed string of 1 to `max` characters. */
export function requiredText(max: number) {
  return required(text(max));
}

/**
 * Most fields share this string schema, because building a schema takes a tenth of a millisecond
 * when a function starts.
 */
export const ShortText = text(255);

/** A `ShortText` with at least one non-whitespace character. */
export const RequiredShortText = required(ShortText);

/** Whether Postgres can store a string: it has no null character and no unpaired surrogate. */
export function isStorable(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

const MAX_MONEY = 999_999_999_999.99;

/** An amount of money with at most two decimals, within numeric(14, 2). */
export const Money = z.number().check(
  z.refine((value) => value >= 0, "must not be negative"),
  z.refine((value) => value <= MAX_MONEY, `must be at most ${MAX_MONEY}`),
  z.refine((value) => Math.round(value * 100) / 100 === value, "must have at most two decimals"),
).register(z.globalRegistry, { minimum: 0, maximum: MAX_MONEY, multipleOf: 0.01 });

/** A whole number from 0 to `max`. */
export function wholeNumber(max: number) {
  return z.number().check(z.refine(
    (value) => Number.isInteger(value) && value >= 0 && value <= max,
    `must be a whole number from 0 to ${max}`,
  )).register(z.globalRegistry, { type: "integer", minimum: 0, maximum: max });
}

/** A position in a list, counted from 0. The limit is the largest value of an integer column. */
export const Position = wholeNumber(2_147_483_647);

/**
 * A phone number in E.164 format with the plus sign. It is not trimmed: a phone number is stored
 * exactly as the caller sent it.
 */
export const Phone = z.string().check(z.regex(
  /^\+[1-9][0-9]{6,14}$/,
  "must be in E.164 format with a leading plus sign, such as +5511987654321",
));

/** The channel's id of a phone number. */
export const PhoneNumberId = z.string().check(z.regex(
  /^[0-9]{1,32}$/,
  "must be the channel's id of a phone number, which has only digits",
));

/** The idempotency key that the caller chose for one send. It is stored unchanged. */
export const IdempotencyKey = verbatim(200).check(
  z.refine((value) => value !== "", "must not be empty"),
).register(z.globalRegistry, { minLength: 1, maxLength: 200 });

/** The language of a template, as the channel writes it. */
export const LanguageCode = z.string().check(
  z.regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/, "must be a template language code such as pt_BR or en"),
);

// The pattern allows any script and almost any part before the @, as some mail systems do, but is
// strict about the structure.
const EMAIL =
  /^(?!\.)(?!.*\.\.)[^\s@"(),:;<>[\]\\\p{C}]{1,64}(?<!\.)@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u;

/** An email address in any script, trimmed. */
export const Email = text(320).check(z.regex(EMAIL, "must be an email address")).register(
  z.globalRegistry,
  { maxLength: 320, format: "idn-email" },
);

/**
 * The changes to a record. A request must have at least one change, because an empty request is a
 * mistake.
 */
export function atLeastOne<Shape extends z.core.$ZodShape>(
  changes: z.ZodMiniObject<Shape, z.core.$strict>,
) {
  const names = Object.keys(changes.shape).join(", ");
  return changes.check(z.refine((value) => Object.keys(value).length > 0, {
    error: `must have at least one of ${names}`,
  })).register(z.globalRegistry, { minProperties: 1 });
}

/** A batch item: the id of a record, and at least one change to that record. */
export function changesById<Shape extends z.core.$ZodShape>(
  changes: z.ZodMiniObject<Shape, z.core.$strict>,
) {
  const names = Object.keys(changes.shape).join(", ");
  return z.strictObject({ id: Id, ...changes.shape }).check(
    z.refine((value) => Object.keys(value).length > 1, {
      error: `must have at least one of ${names}`,
    }),
  ).register(z.globalRegistry, { minProperties: 2 });
}

/**
 * The same input schema, with its defaults in the API's description. The database fills in the
 * defaults; the schema does not.
 */
export function withDefaults<Input extends z.ZodMiniObject>(
  input: Input,
  defaults: { [Field in keyof z.output<Input>]?: z.output<Input>[Field] },
): Input {
  const fields = Object.entries(defaults).map(([field, value]) => {
    return [field, described(input.shape[field], { default: value })];
  });
  return z.extend(input, Object.fromEntries(fields)) as unknown as Input;
}
