import * as z from "zod";

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 has it. */
// deno-lint-ignore no-explicit-any -- a schema is any JSON object with JSON Schema's keywords
export type JsonSchema = Record<string, any>;

/** Formats that say more plainly what the pattern beside them says in a regular expression. */
const PLAIN_FORMATS = new Set(["uuid", "date-time", "idn-email"]);
/** Keywords that only describe. A schema of nothing else allows everything. */
const ANNOTATIONS = new Set(["description", "default", "readOnly", "examples", "title"]);

/**
 * A zod schema as JSON Schema: what a caller sends, or gets. Schemas with an id come out as references to
 * `#/components/schemas/<id>`, and stand in `components`.
 *
 * @throws Error where a schema says nothing of a value, because a check of it is not told beside it.
 */
export function jsonSchema(
  schema: z.ZodType,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const { $schema: _, $defs = {}, ...own } = z.toJSONSchema(schema, {
    // Answers too: they hold what the input's checks let in, and transforms have no other form.
    io: "input",
    unrepresentable: "any",
  }) as JsonSchema;
  for (const [id, definition] of Object.entries<JsonSchema>($defs)) {
    components[id] = tidy(definition, id);
  }
  return tidy(own, "schema");
}

/** Every place below a schema where a schema may stand, with its name. */
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

/** The same schema in plainer words, changed in place. */
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
  // The whole range of whole numbers is no rule.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  foldNull(schema);
  const saysSomething = Object.keys(schema).some((keyword) => !ANNOTATIONS.has(keyword));
  if (!saysSomething) throw new Error(`${path} allows everything: say in its meta what it must be`);
  return schema;
}

/** `anyOf: [x, null]` as a type that may be null. */
function foldNull(schema: JsonSchema) {
  const { anyOf } = schema;
  if (anyOf?.length !== 2 || anyOf[1].type !== "null" || typeof anyOf[0].type !== "string") return;
  delete schema.anyOf;
  const { type, ...rest } = anyOf[0];
  Object.assign(schema, { type: [type, "null"], ...rest, ...schema });
  if (schema.enum) schema.enum = [...schema.enum, null];
}
