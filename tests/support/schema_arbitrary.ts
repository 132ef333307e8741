import * as fc from "fast-check";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";

/** Well-formed strings without null characters, so that only a schema can refuse them. */
const plainText = (minLength: number, maxLength: number) =>
  fc.string({ unit: "grapheme", minLength, maxLength })
    .filter((text) => text.isWellFormed() && !text.includes("\0") && [...text].length <= maxLength);

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  "idn-email": fc.tuple(fc.stringMatching(/^[a-z0-9]{1,20}$/), fc.domain())
    .map((parts) => parts.join("@"))
    .filter((address) => /\.[a-z]{2,}$/.test(address)),
  emoji: fc.constantFrom("👍", "❤️", "☝🏿", "🇧🇷", "1️⃣", "👩🏻‍❤️‍💋‍👩🏿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
  "date-time": anyDate().map((date) => date.toISOString()),
  date: anyDate().map((date) => date.toISOString().slice(0, 10)),
};

function anyDate() {
  return fc.date({ min: new Date("1900-01-01"), max: new Date("2199-12-31"), noInvalidDate: true });
}

/**
 * Generates values that a schema of the document allows. Only the schema keywords used in requests
 * are supported.
 */
export function arbitraryOf(schema: JsonSchema, document: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.$ref) {
    const path: string[] = schema.$ref.split("/").slice(1);
    return arbitraryOf(path.reduce((at, key) => at[key], document), document);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf && !schema.properties) {
    return fc.oneof(...schema.anyOf.map((each: JsonSchema) => arbitraryOf(each, document)));
  }
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => arbitraryOf({ ...schema, type }, document)));
  }
  switch (schema.type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: schema.minimum, max: schema.maximum });
    case "number":
      return fc.integer({ min: 0, max: 2 ** 40 }).map((hundredths) => hundredths / 100);
    case "string":
      return texts(schema);
    case "array":
      return fc.array(arbitraryOf(schema.items, document), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 50),
      }).filter((items) => !schema.items.$ref?.endsWith("/ReplyButton") || areDifferent(items));
    case "object":
      return objects(schema, document);
  }
  throw new Error(`there are no values for ${JSON.stringify(schema)}`);
}

/** Checks the API's `choices` rule for a reply's buttons: all ids and all titles are different. */
function areDifferent(items: unknown[]): boolean {
  const buttons = items as { id: string; title: string }[];
  return [buttons.map(({ id }) => id), buttons.map(({ title }) => title)]
    .every((texts) => new Set(texts).size === texts.length);
}

function texts({ format, pattern, minLength = 0, maxLength = 300 }: JsonSchema) {
  if (format) return FORMATS[format];
  if (pattern && pattern !== "\\S") return fc.stringMatching(new RegExp(pattern));
  const text = fc.oneof(
    plainText(minLength, Math.min(maxLength, 20)),
    fc.constant("x".repeat(maxLength)),
  );
  return pattern ? text.filter((value) => value.trim() !== "") : text;
}

function objects(schema: JsonSchema, document: JsonSchema): fc.Arbitrary<unknown> {
  const [pattern] = Object.entries<JsonSchema>(schema.patternProperties ?? {});
  if (pattern) {
    const name = fc.stringMatching(new RegExp(`${pattern[0]}{1,9}$`));
    return fc.dictionary(name, arbitraryOf(pattern[1], document), { minKeys: 1, maxKeys: 3 });
  }
  if (!schema.properties) {
    return fc.dictionary(plainText(1, 10), fc.oneof(plainText(0, 20), fc.boolean()), {
      maxKeys: 4,
    });
  }
  const members = Object.fromEntries(
    Object.entries<JsonSchema>(schema.properties).map((
      [name, each],
    ) => [name, arbitraryOf(each, document)]),
  );
  const { required = [] } = schema;
  const others = Object.keys(members).filter((name) => !required.includes(name));
  // Chooses the names first, so that no values are generated for names that are refused.
  return fc.subarray(others)
    .map((some) => Object.fromEntries([...required, ...some].map((name) => [name, members[name]])))
    .filter((some) => Object.keys(some).length >= (schema.minProperties ?? 0))
    .filter((some) => obeysPresence(schema, some))
    .chain((some) => fc.record(some))
    .filter((value) => obeysDependentSchemas(schema, value))
    .filter((value) => !schema.properties.sections || obeysChoices(value));
}

/** Checks the schema keywords that restrict which properties an object has. */
function obeysPresence(
  { anyOf, oneOf, dependentRequired = {}, dependentSchemas = {} }: JsonSchema,
  value: Record<string, unknown>,
): boolean {
  const has = ({ required }: JsonSchema) => required.every((name: string) => name in value);
  return (!anyOf || anyOf.some(has)) && (!oneOf || oneOf.filter(has).length === 1) &&
    Object.entries<string[]>(dependentRequired).every(([name, required]) =>
      !(name in value) || has({ required })
    ) &&
    Object.entries<JsonSchema>(dependentSchemas).every(([name, { properties }]) =>
      !(name in value) ||
      Object.entries<JsonSchema>(properties).every(([other, { not }]) => !not || !(other in value))
    );
}

/** Checks the API's `choices` rule for the sections of a reply's list. */
function obeysChoices(value: Record<string, unknown>): boolean {
  const sections = value.sections as { title?: string; rows: { id: string }[] }[];
  const ids = sections.flatMap(({ rows }) => rows.map(({ id }) => id));
  return ids.length <= 10 && new Set(ids).size === ids.length &&
    (sections.length === 1 || sections.every(({ title }) => title));
}

/** Checks the length limits that apply to a property only if another property is present. */
function obeysDependentSchemas(
  { dependentSchemas = {} }: JsonSchema,
  value: Record<string, unknown>,
): boolean {
  return Object.entries<JsonSchema>(dependentSchemas).every(([name, { properties }]) =>
    !(name in value) ||
    Object.entries<JsonSchema>(properties).every(([other, rule]) =>
      rule.not ||
      ((value[other] ?? "") as unknown[] | string).length <= (rule.maxItems ?? rule.maxLength)
    )
  );
}
