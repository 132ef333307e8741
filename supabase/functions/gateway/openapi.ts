import * as z from "zod/mini";
import { lazily, operation, reply } from "../_shared/http/operation.ts";

/** The outline of an OpenAPI document. It describes the answer of this operation. */
export const OpenApi = lazily(() =>
  z.looseObject({
    openapi: z.string(),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.looseObject({}),
    components: z.looseObject({}),
  }).register(z.globalRegistry, { id: "OpenApi" })
);

/**
 * Returns the API's description; specification, part 9. `npm run generate` makes it from the
 * operations.
 */
export const openApi = operation({
  id: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  scope: null,
  answers: () => ({ 200: OpenApi }),
}, async () => {
  // The description is loaded only for this operation, because it is larger than the rest of the
  // function.
  const { default: description } = await import("./openapi.json", { with: { type: "json" } });
  return reply(200, description, { json: json ??= JSON.stringify(description) });
});

/**
 * The JSON text is made only once: anyone may request it, and making it takes longer than the rest
 * of the request.
 */
let json: string | undefined;
