import { toPascalCase } from "deno-std/text/to_pascal_case.js";
import * as z from "zod";
import { type JsonSchema, jsonSchema, withDefaults } from "./json_schema.ts";
import { parameterWords } from "./parameter_words.ts";

// The Parameter Objects of OpenAPI.

/** The parameters of an operation that a schema describes. */
export function parametersOf(
  schema: z.ZodObject | z.ZodLazy<z.ZodObject> | undefined,
  place: "path" | "query",
  schemas: Record<string, JsonSchema>,
): JsonSchema[] {
  if (!schema) return [];
  const object = schema instanceof z.ZodLazy ? schema.unwrap() : schema;
  const { properties, required = [] } = withDefaults(jsonSchema(object, schemas), object, schemas);
  return Object.entries<JsonSchema>(properties).map(([name, value]) => {
    const parameter = {
      ...{ name, in: place, required: required.includes(name) },
      description: parameterWords(name, place),
    };
    if (value.type === "array") {
      return { ...parameter, style: "form", explode: false, schema: value };
    }
    if (value.type !== "object") return { ...parameter, schema: value };
    // Each member is a parameter, whose name begins with that of the object.
    const { additionalProperties } = value;
    const members = {
      type: "object",
      patternProperties: { [`^${name}\\..`]: additionalProperties },
      additionalProperties: false,
    };
    return { ...parameter, style: "form", explode: true, schema: members };
  });
}

/**
 * The parameters that several operations take and that are the same for all of them, as components. In the
 * operations, references take their places.
 */
export function sharedParameters(paths: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const operations = Object.values(paths).flatMap((path) => Object.values<JsonSchema>(path));
  const uses = new Map<string, JsonSchema[]>();
  for (const { parameters } of operations) {
    for (const each of parameters.filter(({ $ref }: JsonSchema) => !$ref)) {
      const name = componentName(each);
      uses.set(name, [...uses.get(name) ?? [], each]);
    }
  }
  const shared = [...uses].filter(([, each]) =>
    each.length > 1 && new Set(each.map((use) => JSON.stringify(use))).size === 1
  );
  const components = Object.fromEntries(shared.map(([name, [parameter]]) => [name, parameter]));
  for (const operation of operations) {
    operation.parameters = operation.parameters.map((each: JsonSchema) =>
      !each.$ref && components[componentName(each)]
        ? { $ref: `#/components/parameters/${componentName(each)}` }
        : each
    );
  }
  return components;
}

/** `CreatedAtGte` for the parameter `created_at[gte]` of a query. */
function componentName({ name, in: place }: JsonSchema): string {
  return (place === "path" ? "Path" : "") + toPascalCase(name);
}
