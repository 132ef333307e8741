// The Data API of the local stack as a process of its own. Counts the requests that it gets, and shows one
// of them when it was asked to, so that it can be sent again without a function in front.

import { startRest } from "../local/rest/rest.ts";
import type { Captured } from "./measured_stack.ts";

const rest = await startRest(JSON.parse(Deno.env.get("REST_OPTIONS") ?? "{}"));
let requests = 0;
let isCapturing = false;
let captured: Captured | null = null;

async function capture(request: Request) {
  isCapturing = false;
  const { pathname, search } = new URL(request.url);
  captured = {
    method: request.method,
    path: pathname + search,
    headers: Object.fromEntries(request.headers),
    body: await request.clone().text(),
  };
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/requests":
        return Response.json(requests);
      case "/capture":
        isCapturing = true;
        captured = null;
        return Response.json(null);
      case "/captured":
        return Response.json(captured);
    }
    requests++;
    if (isCapturing) await capture(request);
    return await rest.fetch(request);
  },
};
