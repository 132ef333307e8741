import type * as z from "zod";
import type { Operation } from "../supabase/functions/_shared/http/operation.ts";
import {
  answersOfNoOperation,
  type Components,
  errorResponses,
  EVERY_HEADER,
  showErrors,
  shown,
} from "./error_answers.ts";
import { SHARED_SCHEMAS } from "./errors.ts";
import type { Example, Examples } from "./examples.ts";
import {
  type ApiFunction,
  describedPath,
  errorsOf,
  FUNCTIONS,
  type OperationId,
} from "./functions.ts";
import { type JsonSchema, jsonSchema } from "./json_schema.ts";
import { RULES } from "./rules.ts";
import { FIELDS, INTRODUCTION, OPERATIONS, PARAMETERS, SCHEMAS, TAGS } from "./words.ts";

/** The version of the interface, specification part 9. A release of the functions does not change it. */
const INTERFACE_VERSION = "2.0.0";

/**
 * The description of the API in OpenAPI 3.1, made from the operations as they are declared, the words and
 * the recorded examples.
 *
 * @throws Error that names what has no words, no example or no rule.
 */
export function openApi(examples: Examples): JsonSchema {
  const schemas: Record<string, JsonSchema> = {};
  const responses: Record<string, JsonSchema> = {};
  const paths: Record<string, JsonSchema> = {};
  for (const each of FUNCTIONS) {
    for (const operation of each.operations) {
      const path = paths[describedPath(each, operation)] ??= {};
      path[operation.method.toLowerCase()] = described(
        operation,
        each,
        examples[operation.id],
        { schemas, responses },
      );
    }
  }
  describeFields(schemas);
  showErrors(responses, examples);
  return {
    "x-generated": "Written by npm run generate; do not edit.",
    openapi: "3.1.0",
    info: {
      title: "CRM and messaging API",
      version: INTERFACE_VERSION,
      summary: "Contacts, deals and conversations of a company, and template sends.",
      description: INTRODUCTION +
        Object.values(RULES).map((rule) => `\n- ${rule}`).join(""),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{
      url: "https://{project}.supabase.co/functions/v1",
      description: "The project that the functions are deployed to.",
      variables: { project: { default: "project-ref", description: "The project's reference." } },
    }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    // Answers to a path that does not exist and to a method that a path does not take.
    "x-answers-of-no-operation": Object.fromEntries(
      FUNCTIONS.map((each) => [each.name, answersOfNoOperation(each)]),
    ),
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `Authorization: Bearer sk_live_…`.",
        },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-Api-Key",
          description: "An API key: `X-Api-Key: sk_live_…`.",
        },
      },
      parameters: {
        RequestId: {
          name: "X-Request-Id",
          in: "header",
          description:
            "Yours, of 1 to 128 visible ASCII characters; the answer carries it. In place of " +
            "any other, the answer carries a new UUID.",
          schema: { type: "string" },
        },
      },
      headers: {
        RequestId: {
          description: "The id of the request: yours, or a new UUID.",
          required: true,
          schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" },
        },
        CacheControl: {
          description: "Answers hold company data, so no cache keeps them.",
          required: true,
          schema: { type: "string", const: "no-store" },
        },
      },
      responses,
      schemas,
    },
  };
}

function described(
  operation: Operation<OperationId>,
  api: ApiFunction,
  examples: Example[] | undefined,
  components: Components,
): JsonSchema {
  const { id, scope, params, query, body, answers } = operation;
  const { tag, summary, description } = OPERATIONS[id];
  if (!examples) throw new Error(`${id} has no examples; npm run generate records them`);
  const parameters = [
    ...parametersOf(params, "path", components),
    ...parametersOf(query, "query", components),
    { $ref: "#/components/parameters/RequestId" },
  ];
  const successes = Object.entries(answers).map(([status, answer]) => [status, {
    description: summary,
    headers: EVERY_HEADER,
    content: {
      "application/json": {
        schema: jsonSchema(answer, components.schemas),
        examples: shown(examples.filter((each) => String(each.status) === status), "answer"),
      },
    },
  }]);
  const requests = examples.filter(({ status, request }) => status < 300 && request.body);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: scope === null ? [] : [{ bearer: [scope] }, { apiKey: [scope] }],
    ...(scope && { "x-required-scope": scope }),
    parameters,
    ...(body && {
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: withDefaults(jsonSchema(body, components.schemas), body, components.schemas),
            examples: shown(requests, "request"),
          },
        },
      },
    }),
    responses: Object.fromEntries([
      ...successes,
      ...errorResponses(errorsOf(operation), api, components),
    ]),
  };
}

function parametersOf(
  schema: z.ZodObject | undefined,
  place: "path" | "query",
  components: Components,
): JsonSchema[] {
  if (!schema) return [];
  const { properties, required = [] } = withDefaults(
    jsonSchema(schema, components.schemas),
    schema,
    components.schemas,
  );
  return Object.entries<JsonSchema>(properties).map(([name, value]) => {
    if (!PARAMETERS[name]) throw new Error(`the parameter ${name} has no words`);
    return {
      name,
      in: place,
      required: required.includes(name),
      description: PARAMETERS[name],
      schema: value,
    };
  });
}

/** Adds the defaults that zod leaves out of what comes before a transform. */
function withDefaults(
  schema: JsonSchema,
  source: z.ZodType,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const target = schema.$ref ? schemas[schema.$ref.split("/").at(-1)!] : schema;
  const { shape = {} } = source as z.ZodObject;
  for (const [name, field] of Object.entries(shape)) {
    const value = (field as z.ZodType).meta()?.default;
    if (value !== undefined) target.properties[name].default = value;
  }
  return schema;
}

/** Gives every schema and field its words. */
function describeFields(schemas: Record<string, JsonSchema>) {
  const fields: Record<string, Record<string, string>> = FIELDS;
  for (const [id, schema] of Object.entries(schemas)) {
    schema.description ??= SCHEMAS[id];
    if (!schema.description) throw new Error(`the schema ${id} has no words`);
    if (!fields[id]) continue;
    for (const [name, field] of Object.entries<JsonSchema>(schema.properties)) {
      if (!fields[id][name]) throw new Error(`${id}.${name} has no words`);
      schema.properties[name] = { description: fields[id][name], ...field };
    }
  }
  Object.assign(schemas, SHARED_SCHEMAS);
}
