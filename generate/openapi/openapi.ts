import { conditionOf } from "../../supabase/functions/_shared/http/conditional.ts";
import { bodiesOf, type Operation } from "../../supabase/functions/_shared/http/operation.ts";
import { announcedBy, describedDeprecation } from "./deprecation.ts";
import {
  addErrorExamples,
  answersOfNoOperation,
  type Components,
  errorResponses,
  EVERY_HEADER,
  exampleObjects,
} from "./error_answers.ts";
import { SHARED_SCHEMAS } from "./errors.ts";
import type { Example, Examples } from "../examples/examples.ts";
import { FIELDS, SCHEMAS } from "./words.ts";
import { type ApiFunction, describedPath, FUNCTIONS, type OperationId } from "./functions.ts";
import { INTRODUCTION } from "./introduction.ts";
import { type JsonSchema, jsonSchema, withDefaults } from "./json_schema.ts";
import { headersTaken, parametersOf, sharedParameters } from "./parameters.ts";
import { RULES } from "./rules.ts";
import { TAGS } from "../../supabase/functions/_shared/http/api_words.ts";
import { webhooksSection } from "./webhooks.ts";
import { OPERATIONS } from "./words.ts";

/**
 * The API version (specification, part 9). A release of the functions does not change this version.
 */
const INTERFACE_VERSION = "2.0.0";

/**
 * Creates the OpenAPI 3.1 document from the operation declarations, the descriptions and the
 * recorded examples.
 *
 * @param functions the functions to describe. The default is the functions that the API serves.
 * Tests pass other functions.
 * @throws Error if an operation, a parameter or a field has no description, no examples or no rule
 * for its values. The message names this operation, parameter or field.
 */
export function openApi(examples: Examples, functions: ApiFunction[] = FUNCTIONS): JsonSchema {
  const schemas: Record<string, JsonSchema> = {};
  const responses: Record<string, JsonSchema> = {};
  const paths: Record<string, JsonSchema> = {};
  for (const each of functions) {
    for (const operation of each.operations) {
      const path = paths[describedPath(each, operation)] ??= {};
      path[operation.method.toLowerCase()] = operationObject(
        operation,
        each,
        examples[operation.id],
        { schemas, responses },
      );
    }
  }
  const webhooks = webhooksSection(examples, schemas);
  const shared = sharedParameters(paths);
  describeFields(schemas);
  addParts(schemas, paths);
  addErrorExamples(responses, examples, functions);
  return {
    "x-generated": "Written by npm run generate; do not edit.",
    openapi: "3.1.0",
    info: {
      title: "CRM and messaging API",
      version: INTERFACE_VERSION,
      summary: "A company's contacts, deals and conversations, and sends of WhatsApp templates.",
      description: INTRODUCTION +
        Object.values(RULES).map((rule) => `\n- ${rule}`).join(""),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{
      url: "https://{project}.supabase.co/functions/v1",
      description: "The deployment's Supabase project.",
      variables: {
        project: { default: "project-ref", description: "The project reference." },
      },
    }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    // The responses to an unknown path, and to a method that a known path does not accept.
    "x-answers-of-no-operation": Object.fromEntries(
      functions.map((each) => [each.name, answersOfNoOperation(each)]),
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
            "Your own id for the request: 1 to 128 visible ASCII characters. The response has " +
            "the same id. If you send no id, the response has a new UUID. Do not put personal data " +
            "into the id, because events contain it and an erasure does not remove it.",
          schema: { type: "string" },
        },
        ...shared,
      },
      headers: {
        RequestId: {
          description:
            "The request id: the id that you sent, or a new UUID. Quote this id when you report " +
            "a problem.",
          required: true,
          schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,128}$" },
        },
        ETag: {
          description:
            "The record's `version` in double quotes, for `If-Match` and `If-None-Match`. If a " +
            "record has no `version`, its ETag is a digest of the response. A proxy that " +
            "compresses responses may put `W/` before the ETag.",
          required: true,
          schema: { type: "string", pattern: '^(W/)?"[\\w-]{1,43}"$' },
        },
        ETagOfWhole: {
          description: "The record's `ETag`. Missing if the request has `fields` or `include`.",
          schema: { type: "string", pattern: '^(W/)?"[\\w-]{1,43}"$' },
        },
        ETagOfPresent: {
          description: "The record's current `ETag`. Missing if there is no such record.",
          schema: { type: "string", pattern: '^(W/)?"[\\w-]{1,43}"$' },
        },
        ETagOfBytes: {
          description:
            "The SHA-256 of the bytes in hexadecimal digits, in double quotes. Missing if the " +
            "channel did not report this hash.",
          schema: { type: "string", pattern: '^(W/)?"[0-9a-f]{64}"$' },
        },
        ContentDisposition: {
          description:
            "`attachment`, with the file name from the contact, or a name that the service " +
            "created. `filename*` contains the full name (RFC 6266).",
          required: true,
          schema: {
            type: "string",
            pattern: "^attachment; filename=\".+\"; filename\\*=UTF-8''\\S+$",
          },
        },
        XContentTypeOptions: {
          description: "Always `nosniff`, so that browsers do not guess another content type.",
          required: true,
          schema: { type: "string", const: "nosniff" },
        },
        ContentSecurityPolicy: {
          description: "Always `sandbox`, so that browsers do not run the file as a page.",
          required: true,
          schema: { type: "string", const: "sandbox" },
        },
        AcceptRanges: {
          description: "Always `none`, because a response always contains the whole file.",
          required: true,
          schema: { type: "string", const: "none" },
        },
        IdempotentReplayed: {
          description:
            "Present if an earlier request had the same `Idempotency-Key`, so that this request " +
            "wrote nothing. The response contains the records in their current state.",
          schema: { type: "string", const: "true" },
        },
        IdempotencyMismatch: {
          description:
            "Present if an earlier send had the same `idempotency_key` but different content. " +
            "The new content was not sent.",
          schema: { type: "string", const: "true" },
        },
        CacheControl: {
          description:
            "Always `no-store`: no cache may store a response, because responses contain company " +
            "data.",
          required: true,
          schema: { type: "string", const: "no-store" },
        },
      },
      responses,
      schemas,
    },
  };
}

/** Returns the OpenAPI Operation Object of an operation. */
function operationObject(
  operation: Operation<OperationId>,
  api: ApiFunction,
  examples: Example[] | undefined,
  components: Components,
): JsonSchema {
  const { id, scope, params, query, answers } = operation;
  const words = OPERATIONS[id];
  if (!words) throw new Error(`${id} has no description: add it to a words.ts`);
  const { tag, summary, description } = words;
  if (!examples) throw new Error(`${id} has no examples; npm run generate records them`);
  const parameters = [
    ...parametersOf(params, "path", components.schemas),
    ...parametersOf(query, "query", components.schemas),
    ...headersTaken(operation),
    { $ref: "#/components/parameters/RequestId" },
  ];
  const announced = announcedBy(operation);
  const successes = Object.entries(answers()).map(([status, answer]) => [status, {
    description: summary,
    headers: {
      ...EVERY_HEADER,
      ...(operation.bytes && HEADERS_OF_BYTES),
      ...(status !== "204" && etagOf(operation)),
      ...replayedOf(operation),
      ...announced,
    },
    ...(operation.bytes &&
      { content: { "*/*": { schema: { type: "string", format: "binary" } } } }),
    ...(status !== "204" && !operation.bytes && {
      content: {
        "application/json": {
          schema: answerSchema(jsonSchema(answer, components.schemas), parameters),
          examples: exampleObjects(
            examples.filter((each) => String(each.status) === status),
            "answer",
          ),
        },
      },
    }),
  }]);
  const unchanged = conditionOf(operation) === "If-None-Match"
    ? [["304", {
      description: "Your copy of the record is current.",
      headers: { ...EVERY_HEADER, ...(operation.bytes ? ETAG_OF_BYTES : ETAG), ...announced },
    }]]
    : [];
  const bodies = Object.entries(bodiesOf(operation));
  const files = Object.entries(operation.file ?? {});
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...describedDeprecation(operation, description),
    security: securityOf(operation),
    ...(scope && { "x-required-scope": scope }),
    parameters,
    ...(bodies.length > 0 && {
      requestBody: {
        required: true,
        content: Object.fromEntries(bodies.map(([type, body]) => [type, {
          schema: withDefaults(jsonSchema(body, components.schemas), body, components.schemas),
          examples: exampleObjects(examples.filter((each) => isOfType(each, type)), "request"),
        }])),
      },
    }),
    ...(files.length > 0 && {
      requestBody: {
        required: true,
        description: "The file itself.",
        content: Object.fromEntries(files.map(([type, maxLength]) => [type, {
          schema: { type: "string", format: "binary", maxLength },
        }])),
      },
    }),
    responses: Object.fromEntries([
      ...successes,
      ...unchanged,
      ...errorResponses(operation, api, components),
    ]),
  };
}

/** Returns an operation's OpenAPI Security Requirement Objects. */
function securityOf({ scope }: Operation): JsonSchema[] {
  if (scope === null) return [];
  const scopes = scope === "any" ? [] : [scope];
  return [{ bearer: scopes }, { apiKey: scopes }];
}

const ETAG = { ETag: { $ref: "#/components/headers/ETag" } };
const ETAG_OF_BYTES = { ETag: { $ref: "#/components/headers/ETagOfBytes" } };

/**
 * The headers of every response that is a file. OpenAPI describes the `Content-Type` header
 * elsewhere, so this list does not contain it.
 */
const HEADERS_OF_BYTES = Object.fromEntries(
  ["Content-Disposition", "X-Content-Type-Options", "Content-Security-Policy", "Accept-Ranges"]
    .map((name) => [name, { $ref: `#/components/headers/${name.replaceAll("-", "")}` }]),
);

/** Returns the ETag header for an operation's successful responses. */
function etagOf({ conditional, method, bytes }: Operation): JsonSchema {
  if (!conditional) return {};
  if (bytes) return ETAG_OF_BYTES;
  return method === "GET" ? { ETag: { $ref: "#/components/headers/ETagOfWhole" } } : ETAG;
}

/** Returns the header for the response to a repeated request. */
function replayedOf({ idempotent, keyInBody }: Operation): JsonSchema {
  return {
    ...(idempotent && {
      "Idempotent-Replayed": { $ref: "#/components/headers/IdempotentReplayed" },
    }),
    ...(keyInBody && {
      "Idempotency-Mismatch": { $ref: "#/components/headers/IdempotencyMismatch" },
    }),
  };
}

/** Whether an example shows a successful request with a body of this content type. */
function isOfType({ status, request }: Example, type: string): boolean {
  const { body, contentType = "application/json" } = request;
  return status < 300 && body !== undefined && contentType === type;
}

/**
 * Returns a response schema. If the operation has the parameter `fields`, the schema also allows
 * records with only some of their fields.
 */
function answerSchema(schema: JsonSchema, parameters: JsonSchema[]): JsonSchema {
  if (!parameters.some(({ name }) => name === "fields")) return schema;
  const { data } = schema.properties;
  const orPart = (record: JsonSchema) => {
    const [{ $ref }, ...others] = record.anyOf ?? [record];
    return { anyOf: [{ $ref }, { $ref: `${$ref}${PART}` }, ...others] };
  };
  schema.properties.data = data.items ? { ...data, items: orPart(data.items) } : orPart(data);
  return schema;
}

/** The suffix in the name of a schema for records with only some of their fields. */
const PART = "Part";

/** Adds the schemas for records with only some of their fields. */
function addParts(schemas: Record<string, JsonSchema>, paths: Record<string, JsonSchema>) {
  const wanted = JSON.stringify(paths).matchAll(new RegExp(`/schemas/(\\w+)${PART}"`, "g"));
  for (const id of new Set(Array.from(wanted, ([, id]) => id))) {
    const { required: _, description, ...part } = schemas[id];
    schemas[`${id}${PART}`] = {
      ...part,
      description: `${description} This object has only the fields that \`fields\` names.`,
      minProperties: 1,
    };
  }
}

/** Adds the descriptions of all schemas and their fields. */
function describeFields(schemas: Record<string, JsonSchema>) {
  const fields: Record<string, Record<string, string>> = FIELDS;
  for (const [id, schema] of Object.entries(schemas)) {
    if (schema.description) continue; // the schema of an error already has a description
    schema.description = SCHEMAS[id];
    if (!schema.description) throw new Error(`${id} has no description: add it to a words.ts`);
    for (const [name, field] of Object.entries<JsonSchema>(schema.properties ?? {})) {
      if (!fields[id]?.[name]) throw new Error(`${id}.${name} has no description`);
      schema.properties[name] = { description: fields[id][name], ...field };
    }
  }
  Object.assign(schemas, SHARED_SCHEMAS);
}
