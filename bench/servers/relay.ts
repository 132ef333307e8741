// The least that any function in front of the REST layer does: it passes requests on, and answers back.

const REST_URL = Deno.env.get("REST_URL") ?? "";
const headers = { "Content-Type": "application/json" };

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    // A blob, as in the functions: Deno cannot send it a second time.
    const body = request.method === "GET" ? undefined : new Blob([await request.text()]);
    const { method, headers: sent } = request;
    const answer = await fetch(REST_URL + pathname + search, { method, headers: sent, body });
    return new Response(await answer.text(), { status: answer.status, headers });
  },
};
