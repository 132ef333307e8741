// The least that any function in front of the REST layer does: it passes requests on, and answers back.

const { REST_URL = "" } = Deno.env.toObject();

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    // A blob, as in the functions: Deno cannot send it a second time.
    const body = method === "GET" ? undefined : new Blob([await request.text()]);
    const answer = await fetch(REST_URL + pathname + search, { method, headers, body });
    const { status } = answer;
    return new Response(await answer.text(), {
      status,
      headers: { "Content-Type": "application/json" },
    });
  },
};
