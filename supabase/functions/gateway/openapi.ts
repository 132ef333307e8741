import * as z from "zod";
import { operation, reply } from "../_shared/http/operation.ts";

/** The outline of an OpenAPI document, for the description of this very operation. */
export const OpenApi = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.looseObject({}),
  components: z.looseObject({}),
}).meta({ id: "OpenApi" });

/** Answers the API's description; specification, part 9. `npm run generate` makes it from the operations. */
export const openApi = operation({
  id: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  scope: null,
  answers: { 200: OpenApi },
}, async () => {
  // Loaded only for this operation: it is larger than the rest of the function.
  const { default: description } = await import("./openapi.json", { with: { type: "json" } });
  return reply(200, description, { json: json ??= JSON.stringify(description) });
});

/** Written once: anybody may ask for it, and writing it takes longer than the rest of the request. */
let json: string | undefined;
