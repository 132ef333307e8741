// The least that any function in front of the REST layer does: it passes a request on, and the answer back.

const { REST_URL = "" } = Deno.env.toObject();

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    // A blob, as the functions send it: what Deno can not send a second time.
    const body = method === "GET" ? undefined : new Blob([await request.text()]);
    const answer = await fetch(REST_URL + pathname + search, { method, headers, body });
    const { status } = answer;
    return new Response(await answer.text(), {
      status,
      headers: { "Content-Type": "application/json" },
    });
  },
};
