import { root } from "../../local/checkout.ts";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import { declaredParameters, valuesByName } from "../support/query_text.ts";
import { SchemaValidator } from "../support/schema_validator.ts";

const document: JsonSchema = JSON.parse(
  await Deno.readTextFile(`${root}supabase/functions/gateway/openapi.json`),
);
const schemas = new SchemaValidator(document);

/** A request before it is sent. */
export interface PlannedRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** The body as JSON text, or a file. */
  body?: string | Uint8Array<ArrayBuffer>;
}

/**
 * Asserts that openapi.json describes a request: its path, method, parameters and body.
 *
 * @param base the base URL of the functions, which ends in `/functions/v1`.
 * @throws Error if a part of the request is not described. The message names the part.
 */
export function assertDocumented({ method, url, headers, body }: PlannedRequest, base: string) {
  const fail = (problem: string) => {
    throw new Error(`openapi.json does not describe ${method} ${url}: ${problem}`);
  };
  if (!url.startsWith(`${base}/`)) fail("it is not a request of the API");
  const { pathname, searchParams } = new URL(`http://api${url.slice(base.length)}`);
  const found = operationAt(method, pathname);
  if (!found) return fail("there is no such operation");
  const { operation, pattern } = found;

  const declared = declaredParameters(document, operation, "query");
  const values = valuesByName(searchParams, declared);
  for (const name of Object.keys(values)) {
    if (!declared.some((each) => each.name === name)) fail(`it takes no parameter ${name}`);
  }
  for (const { name, required, schema } of declared) {
    if (values[name] === undefined) {
      if (required) fail(`${name} is missing`);
      continue;
    }
    const problem = schemas.problemBySchema(schema, values[name]);
    if (problem) fail(`${name} ${problem}`);
  }
  const taken = headersOf(operation);
  for (const name of Object.keys(headers).map((each) => each.toLowerCase())) {
    if (!taken.has(name)) fail(`it takes no header ${name}`);
  }
  if (!operation.requestBody !== (body === undefined)) {
    fail(`it ${body === undefined ? "lacks its body" : "must not have a body"}`);
  }
  if (body === undefined) return;
  if (typeof body !== "string") {
    const type = headers["Content-Type"];
    if (!operation.requestBody.content[type]) fail(`it takes no file of the type ${type}`);
    return;
  }
  const place = ["paths", pattern, method.toLowerCase(), "requestBody", "content"];
  const problem = schemas.problemAt([...place, "application/json", "schema"], JSON.parse(body));
  if (problem) fail(`the body: ${problem}`);
}

/** The names of the headers that a request may have, in lower case. */
function headersOf(operation: JsonSchema): Set<string> {
  const named: JsonSchema[] = operation.parameters.map((each: JsonSchema) =>
    each.$ref ? document.components.parameters[each.$ref.split("/").at(-1)] : each
  );
  const names = named.filter((each) => each.in === "header").map(({ name }) => name.toLowerCase());
  return new Set(["authorization", ...(operation.requestBody ? ["content-type"] : []), ...names]);
}

/**
 * Finds the operation for a path. If several paths match, a path without parameters takes
 * precedence.
 */
function operationAt(method: string, path: string) {
  const patterns = Object.keys(document.paths).sort((one, other) =>
    Number(one.includes("{")) - Number(other.includes("{"))
  );
  for (const pattern of patterns) {
    const expression = new RegExp(`^${pattern.replace(/\{\w+\}/g, "[^/]+")}$`);
    const operation: JsonSchema | undefined = document.paths[pattern][method.toLowerCase()];
    if (expression.test(path) && operation) return { pattern, operation };
  }
  return null;
}
