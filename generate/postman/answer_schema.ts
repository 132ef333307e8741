import type { JsonSchema } from "../openapi/json_schema.ts";

/** The schema keywords that a collection checks: the properties of a response and their types. */
const KEPT = ["type", "required", "enum", "const"];
/** The formats that mean the same in OpenAPI and in Postman's validator, Ajv 6. */
const FORMATS = ["uuid", "date-time"];

/**
 * Returns a response schema for `pm.response.to.have.jsonSchema`, in JSON Schema draft 7. The
 * schema contains all schemas that it refers to.
 */
export function answerSchema(
  schema: JsonSchema,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const definitions: Record<string, JsonSchema> = {};

  const named = (name: string) => {
    if (!(name in definitions)) {
      definitions[name] = {}; // a schema may refer to itself
      definitions[name] = reduced(schemas[name]);
    }
    return { $ref: `#/definitions/${name}` };
  };

  const reduced = (each: JsonSchema): JsonSchema => {
    if (each.$ref) return named(nameOf(each.$ref));
    if (each.anyOf) {
      // The request has no parameter `fields`, so every record is complete.
      const whole = each.anyOf.filter((one: JsonSchema) => !one.$ref?.endsWith("Part"));
      return whole.length === 1 ? reduced(whole[0]) : { anyOf: whole.map(reduced) };
    }
    const { format, properties, items } = each;
    return {
      ...Object.fromEntries(KEPT.filter((key) => key in each).map((key) => [key, each[key]])),
      ...(FORMATS.includes(format) && { format }),
      ...(properties && Object.keys(properties).length > 0 && {
        properties: Object.fromEntries(
          Object.entries<JsonSchema>(properties).map(([name, one]) => [name, reduced(one)]),
        ),
      }),
      ...(items && { items: reduced(items) }),
    };
  };

  const answer = reduced(schema);
  return Object.keys(definitions).length > 0 ? { ...answer, definitions } : answer;
}

/** Returns the name of the schema that a reference points to. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
