import type { FieldsOf, Words } from "../_shared/http/api_words.ts";
import type { Health } from "./health.ts";
import type { Limits, Me, OwnCompany, OwnKey } from "./me.ts";
import type { OpenApi } from "./openapi.ts";

/** The descriptions of the service itself in the OpenAPI document. */
export const words = {
  operations: {
    getMe: {
      tag: "Service",
      summary: "Test your key",
      description:
        "Returns your company, your API key and your company's limits. Any valid key may call " +
        "this operation, regardless of its scopes. A 200 therefore means that the key is valid, " +
        "and a 401 means that the key is not valid.",
    },
    getHealth: {
      tag: "Service",
      summary: "Check the service",
      description:
        "Returns a 200 if the database works. Otherwise returns a 503. The response arrives " +
        "within two seconds, and contains the release of the functions.",
    },
    getOpenApi: {
      tag: "Service",
      summary: "Get this description",
      description:
        "Returns the API's OpenAPI 3.1 document, from which tools can generate clients, tests or " +
        "pages.",
    },
  },
  schemas: {
    Me: "The company and the API key that make the request.",
    OwnCompany: "The API key's company.",
    OwnKey:
      "The properties of the API key that makes the request. The key itself is never returned.",
    Limits: "The limits for requests with this key.",
    Health: "The service's state.",
    OpenApi: "An OpenAPI 3.1 document.",
  },
  fields: {
    Me: {
      company: "The API key's company. The key can access only this company's data.",
      key: "The API key that makes the request.",
      environment:
        "`local`: the service calls a WhatsApp API on its own machine, such as the sandbox of " +
        "the local stack. `live`: the service calls another URL, so assume that every message " +
        "reaches a person.",
      limits: "The limits for requests with this key. There is no hourly or daily quota.",
    } satisfies FieldsOf<typeof Me>,
    OwnCompany: {
      id: "The company's id, which is the `company_id` of its records.",
      name: "The company's name.",
    } satisfies FieldsOf<typeof OwnCompany>,
    OwnKey: {
      id: "The API key's id.",
      name: "The name that a user gave the key.",
      scopes: "The key's scopes.",
      expires_at: "The time at which the key expires. `null` if the key does not expire.",
    } satisfies FieldsOf<typeof OwnKey>,
    Limits: {
      body_bytes: "The maximum size of a request body, in bytes.",
      batch_items: "The maximum number of items in a batch.",
      page_records: "The maximum `limit` of a list.",
      requests_at_once:
        "The maximum number of your company's requests that one gateway instance processes at " +
        "the same time.",
      requests_waiting:
        "The maximum number of your company's requests that may wait in one gateway instance. " +
        "Additional requests receive a 429.",
      waiting_seconds:
        "The maximum time that a request may wait before it receives a 429, in seconds.",
    } satisfies FieldsOf<typeof Limits>,
    Health: {
      status: "Always `ok`, because a service that does not work returns an error.",
      version: "The release of the functions.",
    } satisfies FieldsOf<typeof Health>,
    OpenApi: {
      openapi: "The OpenAPI version.",
      info: "The API's name and version.",
      paths: "The operations, by path and method.",
      components: "The schemas, headers and other parts that several operations share.",
    } satisfies Record<keyof typeof OpenApi._zod.innerType.shape, string>,
  },
} satisfies Words;
