import type { FieldsOf, Words } from "../_shared/http/api_words.ts";
import type { Health } from "./health.ts";
import type { OpenApi } from "./openapi.ts";

/** The texts about the service itself in the API's description. */
export const words = {
  operations: {
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
    Health: "The state of the service.",
    OpenApi: "A description of an API in OpenAPI 3.1.",
  },
  fields: {
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
