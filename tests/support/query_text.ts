// Converts query parameters between their values and their strings in a URL.
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";

/** An operation's parameters in this location, such as the query. */
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

/** The value of a header or parameter, parsed from its string. */
export function valueOf(text: string, schema: JsonSchema): unknown {
  if (schema.type === "array") return splitText(text).map((each) => valueOf(each, schema.items));
  return schema.type === "integer" && /^-?\d+$/.test(text) ? Number(text) : text;
}

/** The string for a value in a URL. */
export function textOf(value: unknown): string {
  if (!Array.isArray(value)) return plain(value);
  return value.map((each) => plain(each).replace(/[\\,]/g, "\\$&")).join(",");
}

/** Objects become JSON, because an object may have any property, even one named `toString`. */
function plain(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * The names and strings of query parameters. Each property of an object becomes a separate
 * parameter.
 */
export function textsOf(values: object): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([member, text]): [string, string] => [member, textOf(text)])
      : [[name, textOf(value)]]
  ) as [string, string][];
}

/** The values of a list in a URL. `\,` is a comma within a value. */
export function splitText(text: string): string[] {
  return [...`,${text}`.matchAll(/,((?:[^,\\]|\\.)*)/gsu)]
    .map(([, value]) => value.replace(/\\(.)/gsu, "$1"));
}

/**
 * The query parameters by their names in the description. In a URL, each property of an object has
 * its own parameter, such as `custom_fields.plan`.
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
