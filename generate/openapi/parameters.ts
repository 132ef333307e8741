import { toPascalCase } from "deno-std/text/to_pascal_case.js";
import { conditionOf } from "../../supabase/functions/_shared/http/conditional.ts";
import type { Operation } from "../../supabase/functions/_shared/http/operation.ts";
import { built, type ObjectSchema } from "../../supabase/functions/_shared/lazily.ts";
import { type JsonSchema, jsonSchema, withDefaults } from "./json_schema.ts";
import { HEADER_WORDS, parameterWords } from "./parameter_words.ts";

// Creates OpenAPI Parameter Objects.

/** Creates an operation's parameters from their schema. */
export function parametersOf(
  schema: ObjectSchema | undefined,
  place: "path" | "query",
  schemas: Record<string, JsonSchema>,
): JsonSchema[] {
  if (!schema) return [];
  const object = built(schema);
  const { properties, required = [] } = withDefaults(jsonSchema(object, schemas), object, schemas);
  return Object.entries<JsonSchema>(properties).map(([name, value]) => {
    const parameter = {
      ...{ name, in: place, required: required.includes(name) },
      ...(value.deprecated && { deprecated: true }),
      description: parameterWords(name, place),
    };
    if (value.type === "array") {
      return { ...parameter, style: "form", explode: false, schema: value };
    }
    if (value.type !== "object") return { ...parameter, schema: value };
    // Each property of the object is a parameter. The parameter's name begins with the object's
    // name.
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
 * Returns the headers that an operation accepts, in addition to the headers that all operations
 * accept.
 */
export function headersTaken(operation: Operation): JsonSchema[] {
  const taken = (words: keyof typeof HEADER_WORDS, example: string): JsonSchema => {
    const [name] = words.split(" ");
    const schema = { type: "string", examples: [example] };
    return { name, in: "header", required: false, description: HEADER_WORDS[words], schema };
  };
  const condition = conditionOf(operation);
  const { idempotent, keyInBody } = operation;
  return [
    ...(condition ? [taken(condition, '"374810"')] : []),
    ...(idempotent ? [taken("Idempotency-Key", "5f0c4a3e-order-1042")] : []),
    ...(keyInBody ? [taken("Idempotency-Key of a send", "order-A-1815-shipped")] : []),
  ];
}

/**
 * If several operations describe a parameter identically, moves the parameter to the components and
 * makes the operations refer to it. If operations describe the same name differently, the component
 * has the description that most of them use.
 */
export function sharedParameters(paths: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const operations = Object.values(paths).flatMap((path) => Object.values<JsonSchema>(path));
  const uses = Map.groupBy(
    operations.flatMap(({ parameters }): JsonSchema[] => parameters).filter(({ $ref }) => !$ref),
    componentName,
  );
  const components: Record<string, JsonSchema> = {};
  for (const [name, all] of uses) {
    for (const same of Map.groupBy(all, (use) => JSON.stringify(use)).values()) {
      if (same.length > 1 && same.length > all.length / 2) components[name] = same[0];
    }
  }
  const isShared = (parameter: JsonSchema) =>
    !parameter.$ref &&
    JSON.stringify(components[componentName(parameter)]) === JSON.stringify(parameter);
  for (const operation of operations) {
    operation.parameters = operation.parameters.map((each: JsonSchema) =>
      isShared(each) ? { $ref: `#/components/parameters/${componentName(each)}` } : each
    );
  }
  return components;
}

/**
 * Returns a parameter's component name, such as `CreatedAtGte` for the query parameter
 * `created_at[gte]`.
 */
function componentName({ name, in: place }: JsonSchema): string {
  return (place === "path" ? "Path" : "") + toPascalCase(name);
}
