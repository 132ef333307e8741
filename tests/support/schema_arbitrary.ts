import * as fc from "fast-check";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";

/** Texts that only the schemas may refuse: they are well-formed and have no null character. */
const plainText = (minLength: number, maxLength: number) =>
  fc.string({ unit: "grapheme", minLength, maxLength })
    .filter((text) => text.isWellFormed() && !text.includes("\0") && [...text].length <= maxLength);

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  "idn-email": fc.tuple(fc.stringMatching(/^[a-z0-9]{1,20}$/), fc.domain())
    .map((parts) => parts.join("@"))
    .filter((address) => /\.[a-z]{2,}$/.test(address)),
  "date-time": anyDate().map((date) => date.toISOString()),
  date: anyDate().map((date) => date.toISOString().slice(0, 10)),
};

function anyDate() {
  return fc.date({ min: new Date("1900-01-01"), max: new Date("2199-12-31"), noInvalidDate: true });
}

/** Values that a schema of the document allows. It supports the keywords that requests use. */
export function arbitraryOf(schema: JsonSchema, document: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.$ref) {
    const path: string[] = schema.$ref.split("/").slice(1);
    return arbitraryOf(path.reduce((at, key) => at[key], document), document);
  }
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) {
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
      });
    case "object":
      return objects(schema, document);
  }
  throw new Error(`there are no values for ${JSON.stringify(schema)}`);
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
  return fc.record(members, { requiredKeys: schema.required ?? [] })
    .filter((value) => Object.keys(value).length >= (schema.minProperties ?? 0))
    .filter((value) => obeysDependentSchemas(schema, value));
}

function obeysDependentSchemas(
  { dependentSchemas = {} }: JsonSchema,
  value: Record<string, unknown>,
): boolean {
  return Object.entries<JsonSchema>(dependentSchemas).every(([name, { properties }]) =>
    !(name in value) ||
    Object.entries<JsonSchema>(properties).every(([other, { maxItems }]) =>
      ((value[other] ?? []) as unknown[]).length <= maxItems
    )
  );
}
