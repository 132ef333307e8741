import * as z from "zod/mini";
import { lazily, operation, reply } from "../_shared/http/operation.ts";

/** The outline of an OpenAPI document, which is the answer of this operation. */
export const OpenApi = lazily(() =>
  z.looseObject({
    openapi: z.string(),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.looseObject({}),
    components: z.looseObject({}),
  }).register(z.globalRegistry, { id: "OpenApi" })
);

/**
 * Returns the API's description; specification, part 9. `npm run generate` makes the description
 * from the operations. The document names the server that it comes from.
 */
export const openApi = operation({
  id: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  scope: null,
  answers: () => ({ 200: OpenApi }),
}, async ({ server }) => {
  // The description is loaded only for this operation, because it is larger than the rest of the
  // function.
  const { default: description } = await import("./openapi.json", { with: { type: "json" } });
  around ??= JSON.stringify({ ...description, servers: PLACE }).split(JSON.stringify(PLACE));
  const servers = [{ url: server(), description: "The server of this document." }];
  return reply(200, description, { json: around.join(JSON.stringify(servers)) });
});

/** The text of the document has this value where the list of servers is inserted. */
const PLACE = "\0servers";

/**
 * The JSON text before and after the servers. The text is made only once: anyone may request it,
 * and making it takes longer than the rest of the request.
 */
let around: string[] | undefined;
