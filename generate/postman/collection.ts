import type { OperationId } from "../openapi/functions.ts";
import type { JsonSchema } from "../openapi/json_schema.ts";
import { resolved } from "../openapi/references.ts";
import { answerSchema } from "./answer_schema.ts";
import { INTRODUCTION } from "./introduction.ts";
import { bodyOf, headersOf, urlOf } from "./parts.ts";
import { type CollectedRequest, REQUESTS } from "./requests.ts";
import { scriptAfter, scriptBefore } from "./scripts.ts";

/** This id never changes, so a new import replaces the earlier collection. */
const COLLECTION_ID = "0b5e55ed-9057-4a11-8000-000000000001";

/** An operation of the document, with its method and path. */
interface Described {
  method: string;
  path: string;
  operation: JsonSchema;
}

/**
 * Returns the Postman collection (format 2.1), with a request for each operation of the OpenAPI
 * document.
 *
 * @throws Error if the document lacks an operation, an example or a parameter. The message names
 * what is missing.
 */
export function postmanCollection(document: JsonSchema): JsonSchema {
  const described = operationsOf(document);
  const folders = new Map<string, JsonSchema[]>();
  for (const [id, request] of Object.entries<CollectedRequest>(REQUESTS)) {
    const found = described.get(id);
    if (!found) throw new Error(`openapi.json has no operation ${id}`);
    const [tag] = found.operation.tags;
    folders.set(tag, [...folders.get(tag) ?? [], itemOf(found, request, document)]);
  }
  const words: JsonSchema[] = document.tags;
  return {
    info: {
      // The description ends with the note that the file is generated. The description is the first
      // property, so that the note is in the first lines of the file.
      description: INTRODUCTION,
      _postman_id: COLLECTION_ID,
      name: document.info.title,
      version: document.info.version,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
    variable: [
      { key: "baseUrl", value: "http://127.0.0.1:54321/functions/v1", type: "string" },
      { key: "apiKey", value: "", type: "secret" },
      ...variables().map((key) => ({ key, value: "", type: "string" })),
    ],
    item: Array.from(folders, ([name, item]) => ({
      name,
      description: words.find((tag) => tag.name === name)?.description,
      item,
    })),
  };
}

/**
 * Returns the document's operations by id. Each operation contains its parameters instead of
 * references to them.
 */
function operationsOf(document: JsonSchema): Map<string, Described> {
  const all = new Map<string, Described>();
  for (const [path, item] of Object.entries<JsonSchema>(document.paths)) {
    for (const [method, operation] of Object.entries<JsonSchema>(item)) {
      const parameters = operation.parameters.map((each: JsonSchema) => resolved(each, document));
      all.set(operation.operationId, { method, path, operation: { ...operation, parameters } });
    }
  }
  return all;
}

/**
 * Returns the names of the variables that have no value at first. Responses, scripts or a person
 * set their values.
 */
function variables(): string[] {
  const requests = Object.values<CollectedRequest>(REQUESTS);
  return [
    ...["phone", "second_phone", "third_phone", "send_key", "upload_file", "media_message_id"],
    "inbound_message_id",
    "reaction_message_id",
    ...requests.flatMap(({ keep = {} }) => Object.keys(keep)),
  ];
}

/** Returns a request with its scripts, its description and a recorded response. */
function itemOf(
  { method, path, operation }: Described,
  request: CollectedRequest,
  document: JsonSchema,
): JsonSchema {
  const url = urlOf(path, operation.parameters, request);
  const { status, statuses, content, isBytes } = successOf(operation);
  const schema = content && answerSchema(
    request.answer ? { $ref: request.answer } : content.schema,
    document.components.schemas,
  );
  const [example] = Object.values<JsonSchema>(content?.examples ?? {});
  const before = scriptBefore(request);
  return {
    name: operation.summary,
    event: [
      ...(before.length > 0 ? [eventOf("prerequest", before)] : []),
      eventOf("test", scriptAfter(request, statuses, schema, isBytes)),
    ],
    request: {
      method: method.toUpperCase(),
      ...(operation.security.length === 0 && { auth: { type: "noauth" } }),
      header: headersOf(operation, request),
      url,
      ...bodyOf(operation, request),
      description: descriptionOf(operation),
    },
    response: example
      ? [{
        name: example.summary,
        originalRequest: { method: method.toUpperCase(), header: [], url: url.raw },
        code: status,
        _postman_previewlanguage: "json",
        header: [{ key: "Content-Type", value: "application/json" }],
        body: JSON.stringify(example.value, null, 2),
      }]
      : [],
  };
}

function eventOf(listen: "prerequest" | "test", exec: string[]): JsonSchema {
  return { listen, script: { type: "text/javascript", exec } };
}

/**
 * Returns the statuses of the documented successful responses, and the content of the first
 * response.
 */
function successOf({ responses }: JsonSchema) {
  const statuses = Object.keys(responses).filter((each) => each.startsWith("2")).map(Number);
  const [status] = statuses;
  const content: JsonSchema | null = responses[status].content?.["application/json"] ?? null;
  return { status, statuses, content, isBytes: "*/*" in (responses[status].content ?? {}) };
}

function descriptionOf(operation: JsonSchema): string {
  const { "x-required-scope": scope, operationId, description } = operation;
  const id: OperationId = operationId;
  return `${description}\n\n` +
    (scope === "any"
      ? "Accepts any valid API key. "
      : scope
      ? `Needs an API key with the scope **${scope}**. `
      : "Needs no API key. ") +
    `The id of this operation in the OpenAPI document is \`${id}\`.`;
}
