import { toPascalCase } from "deno-std/text/to_pascal_case.js";
import type { ErrorCode } from "../../supabase/functions/_shared/errors.ts";
import type { Operation } from "../../supabase/functions/_shared/http/operation.ts";
import { announcedBy } from "./deprecation.ts";
import { byStatus, ERRORS, errorSchema, headersOf } from "./errors.ts";
import type { Example, Examples } from "../examples/examples.ts";
import { type ApiFunction, ERRORS_OF_NO_OPERATION, errorsOf } from "./functions.ts";
import type { JsonSchema } from "./json_schema.ts";

/**
 * The OpenAPI components that several operations refer to. Each described operation adds its
 * components.
 */
export interface Components {
  schemas: Record<string, JsonSchema>;
  responses: Record<string, JsonSchema>;
}

/** The headers of every response. */
export const EVERY_HEADER = {
  "X-Request-Id": { $ref: "#/components/headers/RequestId" },
  "Cache-Control": { $ref: "#/components/headers/CacheControl" },
};

/**
 * Returns an operation's error responses as references, one for each status. A response that
 * operations share is added to the components. A deprecated operation has its own error responses,
 * because they announce the deprecation.
 */
export function errorResponses(
  operation: Operation,
  api: ApiFunction,
  { schemas, responses }: Components,
): [status: string, reference: JsonSchema][] {
  const suffix = Object.keys(api.always).length === 0 ? "" : "OfSend";
  const own = operation.deprecated ? `Of${toPascalCase(operation.id)}` : "";
  return Array.from(byStatus(errorsOf(operation)), ([status, group]) => {
    const bodies = group.map((code) => {
      const name = toPascalCase(code) + suffix;
      schemas[name] ??= errorSchema(code, api.always);
      return { $ref: `#/components/schemas/${name}` };
    });
    const name = group.map(toPascalCase).join("Or") + suffix + own;
    responses[name] ??= errorResponse(group, bodies, announcedBy(operation));
    return [String(status), { $ref: `#/components/responses/${name}` }];
  });
}

function errorResponse(
  codes: ErrorCode[],
  bodies: JsonSchema[],
  announced: Record<string, JsonSchema> = {},
): JsonSchema {
  return {
    description: codes.map((code) => ERRORS[code].description).join(" Or: "),
    headers: { ...EVERY_HEADER, ...headersOf(codes), ...announced },
    content: {
      "application/json": { schema: bodies.length === 1 ? bodies[0] : { oneOf: bodies } },
    },
  };
}

/**
 * Returns the responses to an unknown path, and to a method that a known path does not accept.
 * These responses are not components, because the linter refuses a component that no operation
 * refers to.
 */
export function answersOfNoOperation({ always }: ApiFunction): JsonSchema {
  return Object.fromEntries(Array.from(byStatus(ERRORS_OF_NO_OPERATION), ([status, codes]) => [
    status,
    errorResponse(codes, codes.map((code) => errorSchema(code, always))),
  ]));
}

/** Adds the recorded errors as examples to the responses with the same status. */
export function addErrorExamples(
  responses: Record<string, JsonSchema>,
  examples: Examples,
  functions: ApiFunction[],
) {
  for (const api of functions) {
    for (const operation of api.operations) {
      const errors = (examples[operation.id] ?? []).filter(({ status }) => status >= 400);
      const answers = errorResponses(operation, api, { schemas: {}, responses: {} });
      for (const [status, { $ref }] of answers) {
        const { content } = responses[$ref.split("/").at(-1)];
        const found = errors.filter((each) => String(each.status) === status);
        if (found.length === 0) continue;
        Object.assign(content["application/json"].examples ??= {}, exampleObjects(found, "answer"));
      }
    }
  }
}

/**
 * Returns the OpenAPI Example Objects for recorded examples, by name. Returns `undefined` if there
 * are no examples. The description of a response example is the query string of the request.
 */
export function exampleObjects(examples: Example[], what: "request" | "answer") {
  const entries = examples.map(({ name, summary, request: { query, body }, answer }) => [
    name,
    what === "request"
      ? { summary, value: body }
      : { summary, ...(query && { description: `\`${queryText(query)}\`` }), value: answer },
  ]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Returns a readable query string, without percent-encoding. */
function queryText(query: Record<string, string>): string {
  return `?${Object.entries(query).map((pair) => pair.join("=")).join("&")}`;
}
