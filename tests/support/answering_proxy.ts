/**
 * A server in front of a stack. The server can respond instead of the stack.
 * @param answer returns the response to a request. The request's path does not contain
 * `/functions/v1`. `pass` forwards the request and returns the stack's response.
 */
export function answeringProxy(
  stackUrl: string,
  answer: (
    request: { method: string; path: string },
    pass: () => Promise<Response>,
  ) => Promise<Response>,
) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const body = method === "GET" ? undefined : await request.text();
    const pass = () => fetch(stackUrl + pathname + search, { method, headers, body });
    return await answer({ method, path: pathname.replace("/functions/v1", "") }, pass);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
