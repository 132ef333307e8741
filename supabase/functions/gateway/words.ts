import type { FieldsOf, Words } from "../_shared/http/api_words.ts";
import type { Health } from "./health.ts";
import type { Limits, Me, OwnCompany, OwnKey } from "./me.ts";
import type { OpenApi } from "./openapi.ts";

/** The texts about the service itself in the API's description. */
export const words = {
  operations: {
    getMe: {
      tag: "Service",
      summary: "Test your key",
      description:
        "Returns your company, your key and its limits. Any valid key may call this operation, " +
        "whatever its scopes. A 200 therefore means that the key is valid, and a 401 means that " +
        "it is not.",
    },
    getHealth: {
      tag: "Service",
      summary: "Check the service",
      description:
        "Returns a 200 if the database works, otherwise a 503, within two seconds. Both answers " +
        "have the release of the functions.",
    },
    getOpenApi: {
      tag: "Service",
      summary: "Get this description",
      description:
        "Returns the description of the API in OpenAPI 3.1, for tools that generate clients, " +
        "tests or pages from it.",
    },
  },
  schemas: {
    Me: "The company and the key of the request.",
    OwnCompany: "The company of the key.",
    OwnKey: "Facts about the key of the request. The key itself is never returned.",
    Limits: "The limits of a request with this key.",
    Health: "The state of the service.",
    OpenApi: "A description of an API in OpenAPI 3.1.",
  },
  fields: {
    Me: {
      company: "The company of the key. The key reaches only the data of this company.",
      key: "The key of the request.",
      environment: "`local`: the service calls the WhatsApp API on its own machine, as the local " +
        "stack with its sandbox does. `live`: it calls another address, so assume that every " +
        "message reaches a person.",
      limits: "The limits of a request with this key. There is no quota for an hour or a day.",
    } satisfies FieldsOf<typeof Me>,
    OwnCompany: {
      id: "The id of the company, which is the `company_id` of its records.",
      name: "The name of the company.",
    } satisfies FieldsOf<typeof OwnCompany>,
    OwnKey: {
      id: "The id of the key.",
      name: "The name that a person gave the key.",
      scopes: "What the key may do.",
      expires_at: "The time from which the key is refused; `null` when it does not expire.",
    } satisfies FieldsOf<typeof OwnKey>,
    Limits: {
      body_bytes: "How many bytes the body of a request may have.",
      batch_items: "How many items a batch may have.",
      page_records: "The highest `limit` of a list.",
      requests_at_once: "How many requests of your company one instance of the gateway works on " +
        "at the same time.",
      requests_waiting: "How many further requests of your company may wait there. Requests " +
        "beyond this number get a 429.",
      waiting_seconds: "How many seconds a request may wait before it gets a 429.",
    } satisfies FieldsOf<typeof Limits>,
    Health: {
      status: "Always `ok`: a service that does not work returns an error.",
      version: "The release of the functions.",
    } satisfies FieldsOf<typeof Health>,
    OpenApi: {
      openapi: "The version of OpenAPI.",
      info: "The name of the API and the version of the interface.",
      paths: "The operations, by path and method.",
      components: "The schemas, headers and other parts that several operations share.",
    } satisfies Record<keyof typeof OpenApi._zod.innerType.shape, string>,
  },
} satisfies Words;
