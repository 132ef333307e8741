// The parameters of a query: their values in the description, and their texts in the address.
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";

/** The parameters of an operation in this place, such as the query. */
export function declaredParameters(
  document: JsonSchema,
  operation: JsonSchema,
  place: "path" | "query",
): JsonSchema[] {
  const { parameters } = document.components;
  return operation.parameters
    .map((each: JsonSchema) => each.$ref ? parameters[each.$ref.split("/").at(-1)] : each)
    .filter((each: JsonSchema) => each.in === place);
}

/** The value of the text of a header or parameter. */
export function valueOf(text: string, schema: JsonSchema): unknown {
  if (schema.type === "array") return splitText(text).map((each) => valueOf(each, schema.items));
  return schema.type === "integer" && /^-?\d+$/.test(text) ? Number(text) : text;
}

/** The text of a value in an address. */
export function textOf(value: unknown): string {
  if (!Array.isArray(value)) return plain(value);
  return value.map((each) => plain(each).replace(/[\\,]/g, "\\$&")).join(",");
}

/** An object may have any member, even one with the name toString. */
function plain(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The texts of query parameters. The members of an object become parameters with their own names. */
export function textsOf(values: object): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([member, text]): [string, string] => [member, textOf(text)])
      : [[name, textOf(value)]]
  ) as [string, string][];
}

/** The values of a list in an address. `\,` is a comma within a value. */
export function splitText(text: string): string[] {
  return [...`,${text}`.matchAll(/,((?:[^,\\]|\\.)*)/gsu)]
    .map(([, value]) => value.replace(/\\(.)/gsu, "$1"));
}

/**
 * The parameters of a query by the names in the description. The members of an object have their
 * own names, such as `custom_fields.plan`.
 */
export function valuesByName(
  query: Iterable<[string, string]>,
  declared: JsonSchema[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of query) {
    const object = declared.find(({ name: of, schema }) =>
      schema.type === "object" && name.startsWith(`${of}.`)
    );
    const schema = declared.find((each) => each.name === name)?.schema ?? {};
    if (object) values[object.name] = { ...values[object.name] as object, [name]: text };
    else values[name] = valueOf(text, schema);
  }
  return values;
}
