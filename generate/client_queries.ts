import type { JsonSchema } from "../reference/json_schema.ts";
import { resolved } from "../reference/references.ts";

/** The name of the type with the parameters of an operation, such as `ListContactsQuery`. */
export function queryName(operationId: string): string {
  return `${operationId[0].toUpperCase()}${operationId.slice(1)}Query`;
}

/** What the client's methods have types of their own for, because the answer depends on it. */
const OF_THE_METHOD = ["fields", "include"];

/** The parameters of an operation's query as the schema of one object; null when it has none. */
export function querySchema(operation: JsonSchema, document: JsonSchema): JsonSchema | null {
  const parameters = (operation.parameters ?? [])
    .map((each: JsonSchema) => resolved(each, document))
    .filter((each: JsonSchema) => each.in === "query" && !OF_THE_METHOD.includes(each.name));
  if (parameters.length === 0) return null;
  return {
    type: "object",
    description:
      `What \`${operation.operationId}\` may be asked for, beside what its method takes.`,
    properties: Object.fromEntries(
      parameters.map((each: JsonSchema) => [
        each.name,
        { ...natural(each.schema), description: each.description },
      ]),
    ),
    required: parameters.filter((each: JsonSchema) => each.required)
      .map((each: JsonSchema) => each.name),
  };
}

/** The schema of a value as a program has it: a parameter is a text only in the address. */
function natural(schema: JsonSchema): JsonSchema {
  if (schema.items) return { type: "array", items: natural(schema.items) };
  if (schema.patternProperties) return { type: "array", items: { type: "string" } };
  if (schema.enum?.includes("true")) return { type: "boolean" };
  if (schema.pattern?.startsWith("^-?\\d")) return { type: ["number", "string"] };
  if (schema.anyOf?.some((each: JsonSchema) => each.format === "date-time")) {
    return { $ref: "#/components/schemas/Time" };
  }
  const { default: _default, ...rest } = schema;
  return rest;
}
