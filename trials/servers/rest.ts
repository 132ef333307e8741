// Runs the Data API of the local stack in a separate process, and counts its requests.

import { startRest } from "../../local/rest/rest.ts";

const rest = await startRest(JSON.parse(Deno.env.get("REST_OPTIONS") ?? "{}"));
let requests = 0;

export default {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === "/requests") return Response.json(requests);
    requests++;
    return await rest.fetch(request);
  },
};
