import type { JsonSchema } from "../openapi/json_schema.ts";
import type { CollectedRequest } from "./requests.ts";

// Creates the parts of a Postman request: its URL, its headers and its body.

/**
 * Returns a request's URL, with all query parameters. Parameters that the collection does not use
 * are disabled.
 */
export function urlOf(
  path: string,
  parameters: JsonSchema[],
  { path: values = {}, query = {} }: CollectedRequest,
): JsonSchema {
  const segments = path.slice(1).split("/").map((part) => part.replace(/^\{(\w+)\}$/, ":$1"));
  const named = (place: string) => parameters.filter((each) => each.in === place);
  const unknown = Object.keys(query).filter((name) =>
    !named("query").some((each) => each.name === name)
  );
  if (unknown.length > 0) throw new Error(`${path} takes no parameter ${unknown}`);

  const entries = named("query").map((parameter) => ({
    key: parameter.name,
    value: query[parameter.name] ?? valueOf(parameter.schema),
    description: parameter.description,
    ...(!(parameter.name in query) && { disabled: true }),
  }));
  const variable = named("path").map(({ name, description }) => {
    if (!values[name]) throw new Error(`${path} has no value for ${name}`);
    return { key: name, value: `{{${values[name]}}}`, description };
  });
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`).join("&");
  return {
    raw: `{{baseUrl}}/${segments.join("/")}${search && `?${search}`}`,
    host: ["{{baseUrl}}"],
    path: segments,
    ...(entries.length > 0 && { query: entries }),
    ...(variable.length > 0 && { variable }),
  };
}

/** Returns the initial value of a disabled parameter. */
function valueOf(schema: JsonSchema): string {
  const { default: usual, enum: [first] = [], examples: [example] = [], items } = schema;
  return String(usual ?? example ?? first ?? (items ? valueOf(items) : ""));
}

/** Returns a request's headers. The operation's optional headers are disabled. */
export function headersOf(
  { parameters, requestBody }: JsonSchema,
  { file = "application/json" }: CollectedRequest,
): JsonSchema[] {
  const taken: JsonSchema[] = parameters.filter((each: JsonSchema) => each.in === "header");
  return [
    ...(requestBody ? [{ key: "Content-Type", value: file }] : []),
    ...taken.map(({ name, description, schema }) => ({
      key: name,
      value: valueOf(schema),
      description,
      disabled: true,
    })),
  ];
}

/**
 * Returns a request's body: the body of a recorded example, with variables in place of its ids and
 * phone numbers.
 */
export function bodyOf(
  { operationId, requestBody }: JsonSchema,
  { body: name, file, fill = {} }: CollectedRequest,
): JsonSchema {
  if (file) return { body: { mode: "file", file: {} } };
  if (!requestBody !== !name) throw new Error(`${operationId} lacks a body or an example: ${name}`);
  if (!name) return {};
  const example = requestBody.content["application/json"].examples[name];
  if (!example) throw new Error(`${operationId} has no example ${name}`);
  const body = structuredClone(example.value);
  for (const [path, variable] of Object.entries(fill)) {
    const parts = path.split(".");
    const last = parts.pop()!;
    const parent = parts.reduce((value, part) => value?.[part], body);
    if (parent?.[last] === undefined) throw new Error(`${operationId} ${name} has no ${path}`);
    parent[last] = `{{${variable}}}`;
  }
  return {
    body: {
      mode: "raw",
      raw: JSON.stringify(body, null, 2),
      options: { raw: { language: "json" } },
    },
  };
}
