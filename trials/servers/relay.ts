// The least work that any function before the REST layer does: it forwards requests and responses.

const REST_URL = Deno.env.get("REST_URL") ?? "";
const headers = { "Content-Type": "application/json" };

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    // The body is a blob, as in the functions, because Deno cannot send a blob a second time.
    const body = request.method === "GET" ? undefined : new Blob([await request.text()]);
    const { method, headers: sent } = request;
    const answer = await fetch(REST_URL + pathname + search, { method, headers: sent, body });
    return new Response(await answer.text(), { status: answer.status, headers });
  },
};
