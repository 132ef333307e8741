import * as z from "zod/mini";
import { built } from "../../supabase/functions/_shared/lazily.ts";

/** A JSON Schema of draft 2020-12, which OpenAPI 3.1 uses. */
// deno-lint-ignore no-explicit-any -- a schema is any JSON object with JSON Schema's keywords
export type JsonSchema = Record<string, any>;

/** For these formats, zod adds a pattern that is redundant. */
const PLAIN_FORMATS = new Set(["uuid", "date-time", "idn-email"]);
/** Keywords that only describe a value. A schema without any other keyword allows every value. */
const ANNOTATIONS = new Set([
  "description",
  "default",
  "deprecated",
  "readOnly",
  "examples",
  "title",
]);

/**
 * Converts a zod schema to JSON Schema. A schema with an id becomes a reference to
 * `#/components/schemas/<id>`, and is added to `components`.
 *
 * @throws Error if a schema would allow every value. This happens if neither zod nor `meta`
 * expresses the schema's check in JSON Schema.
 */
export function jsonSchema(
  schema: z.core.$ZodType,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, {
    // The input schema also describes responses, because zod has no output schema for a transform.
    // Stored values matched the input schema when they were written.
    io: "input",
    unrepresentable: "any",
  }) as JsonSchema;
  for (const [id, definition] of Object.entries<JsonSchema>($defs)) {
    components[id] = tidy(definition, id);
  }
  return tidy(own, "schema");
}

/** Returns the direct subschemas of a schema, with their names. */
function parts(schema: JsonSchema): [string, JsonSchema][] {
  const named = ["properties", "dependentSchemas"].flatMap((keyword) =>
    Object.entries<JsonSchema>(schema[keyword] ?? {})
  );
  const listed = ["anyOf", "oneOf", "allOf"].flatMap((keyword) =>
    (schema[keyword] ?? []).map((part: JsonSchema, at: number) => [`${keyword}.${at}`, part])
  );
  const single = ["items", "additionalProperties"].flatMap((keyword) =>
    typeof schema[keyword] === "object" ? [[keyword, schema[keyword]]] : []
  );
  return [...named, ...listed, ...single] as [string, JsonSchema][];
}

/** Simplifies a schema in place, and returns it. */
function tidy(schema: JsonSchema, path: string): JsonSchema {
  if (schema.additionalProperties && Object.keys(schema.additionalProperties).length === 0) {
    schema.additionalProperties = true;
  }
  for (const [name, part] of parts(schema)) {
    tidy(part, `${path}.${name}`);
  }
  if (typeof schema.$ref === "string") {
    schema.$ref = schema.$ref.replace("#/$defs/", "#/components/schemas/");
  }
  if (PLAIN_FORMATS.has(schema.format)) {
    delete schema.pattern;
    delete schema.allOf;
  }
  // zod adds the range of safe integers, which is not a rule of this API.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  foldNull(schema);
  const hasRule = Object.keys(schema).some((keyword) => !ANNOTATIONS.has(keyword));
  if (!hasRule) throw new Error(`${path} allows everything: describe its values in its meta`);
  return schema;
}

/** Converts `anyOf: [x, null]` into a nullable type. */
function foldNull(schema: JsonSchema) {
  const { anyOf } = schema;
  if (anyOf?.length !== 2 || anyOf[1].type !== "null" || typeof anyOf[0].type !== "string") return;
  delete schema.anyOf;
  const { type, ...rest } = anyOf[0];
  Object.assign(schema, { type: [type, "null"], ...rest, ...schema });
  if (schema.enum) schema.enum = [...schema.enum, null];
}

/**
 * Adds defaults to the JSON Schema of an object. zod leaves out the defaults of a schema with a
 * transform.
 */
export function withDefaults(
  schema: JsonSchema,
  source: z.core.$ZodType,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const target = schema.$ref ? schemas[schema.$ref.split("/").at(-1)!] : schema;
  const { shape = {} } = built(source) as z.ZodMiniObject;
  for (const [name, field] of Object.entries(shape)) {
    const value = z.globalRegistry.get(field)?.default;
    if (value !== undefined) target.properties[name].default = value;
  }
  return schema;
}
