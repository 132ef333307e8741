// Parameters of a query: the value that the description speaks of, and the text that stands in the address.
import type { JsonSchema } from "../../reference/json_schema.ts";

/** The parameters of an operation of the description in this place. */
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

/** The value that the text of a header or parameter stands for. */
export function valueOf(text: string, schema: JsonSchema): unknown {
  if (schema.type === "array") return splitText(text).map((each) => valueOf(each, schema.items));
  return schema.type === "integer" && /^-?\d+$/.test(text) ? Number(text) : text;
}

/** The text of a value in an address. */
export function textOf(value: unknown): string {
  if (!Array.isArray(value)) return plain(value);
  return value.map((each) => plain(each).replace(/[\\,]/g, "\\$&")).join(",");
}

/** An object may have any member, also one that is called toString. */
function plain(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The texts of query parameters. Those of an object are its members, under their own names. */
export function textsOf(values: object): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([member, text]): [string, string] => [member, textOf(text)])
      : [[name, textOf(value)]]
  ) as [string, string][];
}

/** The values of a list in an address; `\,` is a comma within one. */
export function splitText(text: string): string[] {
  return [...`,${text}`.matchAll(/,((?:[^,\\]|\\.)*)/gsu)]
    .map(([, value]) => value.replace(/\\(.)/gsu, "$1"));
}

/**
 * The parameters of a query by the names of the description: those of an object are its members, such as
 * `custom_fields.plan`.
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
