import * as z from "zod/mini";
import { lazily } from "../_shared/lazily.ts";
import { operation, reply } from "../_shared/http/operation.ts";

/** The basic structure of an OpenAPI document, which is this operation's response. */
export const OpenApi = lazily(() =>
  z.looseObject({
    openapi: z.string(),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.looseObject({}),
    components: z.looseObject({}),
  }).register(z.globalRegistry, { id: "OpenApi" })
);

/**
 * Returns the OpenAPI document. See the specification, part 9. `npm run generate` creates the
 * document from the operations. The document contains the URL of the server that returns it.
 */
export const openApi = operation({
  id: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  scope: null,
  answers: () => ({ 200: OpenApi }),
}, async ({ server }) => {
  // The document is loaded only when someone requests it, because it is larger than the rest of the
  // function.
  const { default: description } = await import("./openapi.json", { with: { type: "json" } });
  around ??= JSON.stringify({ ...description, servers: PLACE }).split(JSON.stringify(PLACE));
  const servers = [{ url: server(), description: "The server that returned this document." }];
  return reply(200, description, { json: around.join(JSON.stringify(servers)) });
});

/** The placeholder in the document's text where the list of servers is inserted. */
const PLACE = "\0servers";

/**
 * The JSON text before and after the list of servers. It is created only once, because creating it
 * takes longer than the rest of the request, and anyone may send such requests.
 */
let around: string[] | undefined;
