/**
 * A server before a stack, which answers in its place.
 *
 * @param answer makes the answer to a request, whose path is that below `/functions/v1`; `pass` passes it on, and has
 *   what the stack answers.
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
