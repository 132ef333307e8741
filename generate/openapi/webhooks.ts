import { toPascalCase } from "deno-std/text/to_pascal_case.js";
import { EVENT_TYPES, TYPES } from "../../supabase/functions/_shared/webhooks/event.ts";
import type { Examples } from "../examples/examples.ts";
import {
  ACCOUNT,
  CHANGED_TOO,
  DELIVERY_HEADERS,
  EXAMPLE_ACCOUNT,
  EXAMPLE_CHANGES,
  WHEN,
} from "./event_words.ts";
import type { JsonSchema } from "./json_schema.ts";
import { FIELDS } from "./words.ts";

type Resource = keyof typeof EVENT_TYPES;

/** The operation that reads each kind of record, or null if there is no such operation. */
const READS: Record<Resource, string | null> = {
  contact: "getContact",
  deal: "getDeal",
  conversation: "getConversation",
  message: "getMessage",
  send: "getSend",
  template: "getTemplate",
  account: null,
  webhook: "getWebhook",
};

/** The schema of a record that was sent with only its id. */
const ONLY_ID = {
  type: "object",
  description: "A record that was sent with only its id.",
  properties: { id: { description: "The record's id.", type: "string", format: "uuid" } },
  required: ["id"],
};

/**
 * Creates the `webhooks` section of the OpenAPI document, with a request for each event type. The
 * section refers to the response schemas. The event schemas are added to `schemas`.
 *
 * @param schemas the schemas of all operations.
 * @throws Error if an event type has no description, or if a record has no schema or no example.
 * The message names the event type or the record.
 */
export function webhooksSection(
  examples: Examples,
  schemas: Record<string, JsonSchema>,
): Record<string, JsonSchema> {
  Object.assign(schemas, { Account: ACCOUNT, OnlyId: ONLY_ID });
  for (const resource of Object.keys(EVENT_TYPES) as Resource[]) {
    schemas[schemaName(resource)] = eventSchema(resource, examples, schemas);
  }
  return Object.fromEntries(TYPES.map((type) => [type, { post: delivery(type) }]));
}

/** Returns the name of the schema for a resource's events, such as `DealEvent`. */
function schemaName(resource: string): string {
  return `${toPascalCase(resource)}Event`;
}

/** Returns the schema of all events about one kind of record. */
function eventSchema(
  resource: Resource,
  examples: Examples,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const record = toPascalCase(resource);
  if (!schemas[record]) throw new Error(`there is no schema ${record}`);
  const { properties, required, ...event } = schemas.Event;
  const types = EVENT_TYPES[resource].map((what) => `${resource}.${what}`);
  const described = Object.entries<JsonSchema>(properties).map(([name, field]) => [
    name,
    { description: FIELDS.Event[name], ...field },
  ]);
  return {
    ...event,
    description: `An event about a record of the kind ${resource}, as a webhook receives it.`,
    properties: {
      ...Object.fromEntries(described),
      type: { description: FIELDS.Event.type, type: "string", enum: types },
      resource: { description: FIELDS.Event.resource, type: "string", const: resource },
      data: {
        description:
          "The record's state when the request is sent, which may be later than the event. The " +
          "record contains only its `id` if the webhook's `payload` is `ids`, or if `truncated` " +
          "is present. `null` if the record no longer exists.",
        anyOf: [
          { $ref: `#/components/schemas/${record}` },
          { $ref: "#/components/schemas/OnlyId" },
          { type: "null" },
        ],
      },
      truncated: {
        description: "Present if the full body would be larger than 256 KiB.",
        type: "boolean",
        const: true,
      },
    },
    required: [...required, "data"],
    // The examples are in the schema. In a request body, tools refuse examples with fields that
    // callers cannot set.
    examples: types.map((type) => exampleOf(type, resource, examples)),
  };
}

function delivery(type: string): JsonSchema {
  if (!WHEN[type]) throw new Error(`${type} has no description: add it to WHEN`);
  const [resource] = type.split(".");
  return {
    operationId: `on${toPascalCase(type.replace(".", "_"))}`,
    tags: ["Webhooks"],
    summary: type,
    description: `The service sends this request to a webhook when ${WHEN[type]}. ` +
      "Verify the signature, store the event, and return a 2xx within 10 seconds.",
    security: [],
    parameters: DELIVERY_HEADERS,
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: { $ref: `#/components/schemas/${schemaName(resource)}` } },
      },
    },
    responses: {
      "2XX": { description: "You received the event." },
      "4XX": {
        description:
          "The service sends the event again later. If you return a 410, the service switches " +
          "the webhook off instead.",
      },
    },
  };
}

function exampleOf(type: string, resource: Resource, examples: Examples): JsonSchema {
  const read = READS[resource];
  const record: JsonSchema = read === null ? EXAMPLE_ACCOUNT : recordOf(read, examples);
  const changes = EXAMPLE_CHANGES[type] ?? {};
  // Some event types have other values in `changes`, which belong to no changed field.
  const changed = Object.keys(changes).filter((name) =>
    Object.hasOwn(Object(changes[name]), "from")
  );
  return {
    id: "evt_019abf3e1a2370008000000000000001",
    type,
    timestamp: "2026-11-23T01:02:03.123456+00:00",
    company_id: record.company_id,
    resource,
    record_id: record.id ?? record.message_id,
    actor: { kind: "key", id: "de300001-0000-4000-8000-000000000001" },
    request_id: "5f0c4a3e-order-1042",
    changed: [...changed, ...CHANGED_TOO[type] ?? []],
    changes,
    data: type.endsWith(".deleted") ? null : record,
  };
}

/** Returns the record in the first recorded response from an operation. */
function recordOf(operation: string, examples: Examples): JsonSchema {
  const found = examples[operation]?.find(({ status }) => status === 200);
  if (!found) throw new Error(`${operation} has no example of a record`);
  return (found.answer as JsonSchema).data;
}
