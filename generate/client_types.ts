import { root } from "../local/checkout.ts";
import type { JsonSchema } from "./openapi/json_schema.ts";
import { formatted, output } from "./formatted.ts";
import { queryName, querySchema } from "./client_queries.ts";

const HEAD = `// Written by \`npm run generate\` from openapi.json; do not edit.

/** One value, or several. */
export type OneOrMore<Value> = Value | readonly Value[];
`;

/**
 * Returns the module with the client's types, which openapi-typescript generates from the OpenAPI
 * document. The module contains the schemas of all requests and successful responses, each under
 * its name, and the query parameters of each operation.
 */
export async function clientTypes(document: JsonSchema): Promise<string> {
  const schemas: JsonSchema = { Time: TIME };
  for (const operation of operationsOf(document)) {
    const { requestBody = {}, responses } = operation;
    const answers = Object.entries<JsonSchema>(responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([, answer]) => answer);
    for (const part of [requestBody, ...answers]) {
      for (const media of Object.values<JsonSchema>(part.content ?? {})) {
        addNamed(media.schema, document, schemas);
      }
    }
    const query = querySchema(operation, document);
    if (query) schemas[queryName(operation.operationId)] = query;
  }
  for (const name of ["FieldError", "ChannelError", "Account"]) {
    schemas[name] = named(name, document);
  }
  schemas.EventType = {
    type: "string",
    enum: Object.keys(document.webhooks),
    description: "What happened: the type of an event.",
  };
  // The formatter needs two runs for a long list of values within parentheses.
  return await formatted("ts", await formatted("ts", HEAD + topLevel(await typesOf(schemas))));
}

const TIME = {
  type: "string",
  description:
    "A point in time: a `Date`, or a string in ISO 8601 format. `2026-11-22` means the beginning " +
    "of that day in UTC.",
};

/** Returns the operations of an OpenAPI document. */
export function operationsOf(document: JsonSchema): JsonSchema[] {
  return Object.values<JsonSchema>(document.paths).flatMap((item) => Object.values(item));
}

async function typesOf(schemas: JsonSchema): Promise<string> {
  return await output(
    "node",
    [
      `${root}tools/node_modules/openapi-typescript/bin/cli.js`,
      "--default-non-nullable=false",
    ],
    JSON.stringify({
      openapi: "3.1.0",
      info: {},
      paths: {},
      components: { schemas: sorted(schemas) },
    }),
  );
}

function sorted(schemas: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => one < other ? -1 : 1));
}

/**
 * Matches the names of schemas for records with only some of their fields. The client has its own
 * types for these records.
 */
const IS_PART = /Part$/;

function named(name: string, document: JsonSchema): JsonSchema {
  return document.components.schemas[name];
}

/** Adds the named schemas that a schema refers to. */
function addNamed(schema: unknown, document: JsonSchema, schemas: JsonSchema): void {
  if (typeof schema !== "object" || schema === null) return;
  const { $ref } = schema as JsonSchema;
  const name: string | undefined = $ref?.split("/").at(-1);
  if (name && !IS_PART.test(name) && !(name in schemas)) {
    schemas[name] = named(name, document);
    addNamed(schemas[name], document, schemas);
  }
  for (const part of Object.values(schema)) addNamed(part, document, schemas);
}

/**
 * Converts the output of openapi-typescript, so that each schema becomes an exported type. Removes
 * comments that only repeat the type.
 */
function topLevel(text: string): string {
  const [, members = ""] = /^ {4}schemas: \{\n([^]*?)^ {4}\};$/m.exec(text) ?? [];
  return members
    .replace(/^ {8}/gm, "")
    .replace(/^ *\* (Format: .*|@enum .*|@constant.*|@default .*)\n/gm, "")
    .replace(/\* @description /g, "* ")
    .replace(/\/\*\*\n *(\* .*)\n *\*\//g, "/*$1 */")
    .replace(/^(\w+): /gm, "\nexport type $1 = ")
    .replace(/components\["schemas"\]\["(\w+)"\]/g, "$1")
    .replace("export type Time = string;", "export type Time = string | Date;")
    // In a query, a caller may pass one value instead of a list. `undefined` means that the
    // parameter is left out.
    .replace(/^export type \w+Query = [^]*?^\};/gm, (query) =>
      query
        .replace(/^( {4}\S+: )\(?([^;\n]*?)\)?\[\];$/gm, "$1OneOrMore<$2>;")
        .replace(
          /^ {4}custom_fields\?: .*/m,
          "    [field: `custom_fields.${string}`]: OneOrMore<string>;",
        )
        .replace(/^( {4}(?:\S+\?|\[.*\]): [^;\n]*);$/gm, "$1 | undefined;"))
    .replace(/^(\/\*\*.*\*\/\n)\n(export)/gm, "\n$1$2");
}
