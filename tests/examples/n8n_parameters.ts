import { z } from "zod";

// The parameters of the n8n nodes that the examples use, as defined in these node versions of n8n
// 1.x. A parameter that the runner cannot replay is an error.

const expression = z.string().startsWith("={{").endsWith("}}");
const pairs = z.strictObject({
  parameters: z.array(z.strictObject({ name: z.string(), value: z.string() })).min(1),
});
const empty = z.strictObject({});

const pagination = z.strictObject({
  paginationMode: z.literal("responseContainsNextURL"),
  nextURL: expression,
  paginationCompleteWhen: z.literal("other"),
  completeExpression: expression,
  limitPagesFetched: z.literal(true),
  maxRequests: z.int(),
});

const httpRequest = z.strictObject({
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).optional(),
  url: z.string(),
  /** Missing in a request to a URL outside the API, because only the API receives the key. */
  authentication: z.literal("genericCredentialType").optional(),
  genericAuthType: z.literal("httpBearerAuth").optional(),
  sendQuery: z.literal(true).optional(),
  queryParameters: pairs.optional(),
  sendHeaders: z.literal(true).optional(),
  headerParameters: pairs.optional(),
  sendBody: z.literal(true).optional(),
  specifyBody: z.literal("json").optional(),
  jsonBody: expression.optional(),
  /** The body is a file: the binary data `data` of the item. */
  contentType: z.literal("binaryData").optional(),
  inputDataFieldName: z.literal("data").optional(),
  options: z.strictObject({
    response: z.strictObject({
      response: z.union([
        z.strictObject({ fullResponse: z.literal(true), neverError: z.literal(true) }),
        // The body becomes the binary data `data` of the item.
        z.strictObject({ responseFormat: z.literal("file") }),
      ]),
    }).optional(),
    pagination: z.strictObject({ pagination }).optional(),
  }),
}).refine((node) =>
  // n8n sends the query, the headers and the body only if `sendQuery`, `sendHeaders` and `sendBody`
  // are true.
  Boolean(node.queryParameters) === Boolean(node.sendQuery) &&
  Boolean(node.headerParameters) === Boolean(node.sendHeaders) &&
  Boolean(node.jsonBody || node.inputDataFieldName) === Boolean(node.sendBody) &&
  Boolean(node.jsonBody) === Boolean(node.specifyBody) &&
  Boolean(node.contentType) === Boolean(node.inputDataFieldName) &&
  Boolean(node.authentication) === Boolean(node.genericAuthType)
);

const set = z.strictObject({
  assignments: z.strictObject({
    assignments: z.array(z.strictObject({
      id: z.guid(),
      name: z.string(),
      value: z.union([z.string(), z.number(), z.boolean()]),
      type: z.enum(["string", "number", "boolean"]),
    })),
  }),
  options: empty,
});

const operator = z.union([
  z.strictObject({ type: z.literal("number"), operation: z.enum(["equals", "lt"]) }),
  z.strictObject({
    type: z.literal("boolean"),
    operation: z.literal("true"),
    singleValue: z.literal(true),
  }),
]);

const conditions = z.strictObject({
  conditions: z.strictObject({
    options: z.strictObject({
      caseSensitive: z.literal(true),
      leftValue: z.literal(""),
      typeValidation: z.literal("strict"),
      version: z.literal(2),
    }),
    conditions: z.array(z.strictObject({
      id: z.guid(),
      leftValue: expression,
      rightValue: z.union([z.number(), z.literal("")]),
      operator,
    })).min(1),
    combinator: z.literal("and"),
  }),
  options: empty,
});

const column = z.strictObject({
  id: z.string(),
  displayName: z.string(),
  required: z.literal(false),
  defaultMatch: z.literal(false),
  display: z.literal(true),
  type: z.literal("string"),
  readOnly: z.literal(false),
  removed: z.literal(false),
});

const ofRows = {
  dataTableId: z.strictObject({
    __rl: z.literal(true),
    mode: z.literal("name"),
    value: z.string(),
  }),
  matchType: z.literal("allConditions"),
  filters: z.strictObject({
    conditions: z.array(
      z.strictObject({
        keyName: z.string(),
        condition: z.enum(["eq", "neq"]),
        keyValue: expression,
      }),
    ).min(1),
  }),
  options: empty,
};

const dataTable = z.discriminatedUnion("operation", [
  z.strictObject({ operation: z.literal("deleteRows"), ...ofRows }),
  z.strictObject({
    operation: z.literal("upsert"),
    ...ofRows,
    columns: z.strictObject({
      mappingMode: z.literal("defineBelow"),
      value: z.record(z.string(), expression),
      matchingColumns: z.tuple([]),
      schema: z.array(column),
      attemptToConvertTypes: z.literal(false),
      convertFieldsToString: z.literal(false),
    }),
  }),
]);

/** The raw body is the binary property `data`. The node Respond to Webhook sends the response. */
const webhook = z.strictObject({
  httpMethod: z.literal("POST"),
  path: z.string(),
  responseMode: z.literal("responseNode"),
  options: z.strictObject({ rawBody: z.literal(true) }),
});

const respondToWebhook = z.discriminatedUnion("respondWith", [
  z.strictObject({
    respondWith: z.literal("noData"),
    options: z.strictObject({ responseCode: z.int() }),
  }),
  z.strictObject({
    respondWith: z.literal("text"),
    responseBody: z.string(),
    options: z.strictObject({ responseCode: z.int() }),
  }),
]);

const removeDuplicates = z.strictObject({
  operation: z.literal("removeItemsSeenInPreviousExecutions"),
  dedupeValue: expression,
  options: empty, // the node remembers the last 10,000 values
});

const interval = z.strictObject({ field: z.literal("minutes"), minutesInterval: z.int().min(1) });

/** The parameters of each node type, by type name and version. */
export const PARAMETERS = {
  "manualTrigger 1": empty,
  "scheduleTrigger 1.2": z.strictObject({
    rule: z.strictObject({ interval: z.tuple([interval]) }),
  }),
  "stickyNote 1": z.strictObject({ content: z.string(), height: z.number(), width: z.number() }),
  "noOp 1": empty,
  "set 3.4": set,
  "httpRequest 4.2": httpRequest,
  "if 2.2": conditions,
  "splitOut 1": z.strictObject({ fieldToSplitOut: z.string(), options: empty }),
  "code 2": z.strictObject({ jsCode: z.string() }),
  "wait 1.1": z.strictObject({ amount: z.int().min(1), unit: z.literal("seconds") }),
  "stopAndError 1": z.strictObject({ errorMessage: z.string() }),
  "dataTable 1.1": dataTable,
  "webhook 2": webhook,
  "respondToWebhook 1.1": respondToWebhook,
  "removeDuplicates 2": removeDuplicates,
};

/** The name of a node type, with its version. */
export type Kind = keyof typeof PARAMETERS;
/** The parameters of a node type. */
export type ParametersOf<Name extends Kind> = z.output<(typeof PARAMETERS)[Name]>;
