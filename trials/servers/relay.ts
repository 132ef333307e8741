// The smallest possible function in front of the REST layer: it only forwards requests and
// responses.

const REST_URL = Deno.env.get("REST_URL") ?? "";
const headers = { "Content-Type": "application/json" };

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    // The body is a blob, as in the functions, so that Deno cannot send a request twice.
    const body = request.method === "GET" ? undefined : new Blob([await request.text()]);
    const { method, headers: sent } = request;
    const answer = await fetch(REST_URL + pathname + search, { method, headers: sent, body });
    return new Response(await answer.text(), { status: answer.status, headers });
  },
};
