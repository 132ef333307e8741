import type { JsonSchema } from "./openapi/json_schema.ts";
import { resolved } from "./openapi/references.ts";

/** Returns the name of the type for an operation's parameters, such as `ListContactsQuery`. */
export function queryName(operationId: string): string {
  return `${operationId[0].toUpperCase()}${operationId.slice(1)}Query`;
}

/**
 * The client's methods have their own types for these parameters, because the parameters determine
 * the type of the response.
 */
const OF_THE_METHOD = ["fields", "include"];

/**
 * Returns an operation's query parameters as the schema of one object. Returns null if the
 * operation has no query parameters.
 */
export function querySchema(operation: JsonSchema, document: JsonSchema): JsonSchema | null {
  const parameters = (operation.parameters ?? [])
    .map((each: JsonSchema) => resolved(each, document))
    .filter((each: JsonSchema) => each.in === "query" && !OF_THE_METHOD.includes(each.name));
  if (parameters.length === 0) return null;
  return {
    type: "object",
    description:
      `The query parameters of \`${operation.operationId}\`, without \`fields\` and \`include\`.`,
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

/**
 * Returns the schema of the value that a program passes to the client for a parameter. In a URL,
 * every value is a string.
 */
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
