/** An answer of the API on its way to the caller. */
export interface BentAnswer {
  status: number;
  contentType: string;
  // deno-lint-ignore no-explicit-any -- a test reaches into the body and bends it
  body: any;
  /** Headers that the answer has besides. */
  headers?: Record<string, string>;
}

/** Changes an answer; `made` says how many requests of this operation came before. */
export type Bend = (answer: BentAnswer, made: number) => BentAnswer;

/**
 * A server that passes every request on to the stack, and bends the answers of some operations, which are named by
 * method and path, such as `GET /gateway/contacts`.
 */
export function bendingProxy(target: string, bends: Record<string, Bend>) {
  const made = new Map<string, number>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      for (const name of ["host", "connection"]) headers.delete(name);
      const answer = await fetch(`${target}${pathname}${search}`, {
        method: request.method,
        headers,
        body: request.body && await request.arrayBuffer(),
      });
      const name = `${request.method} ${pathname.replace("/functions/v1", "")}`;
      const bend = bends[name];
      if (!bend) return answer;
      const before = made.get(name) ?? 0;
      made.set(name, before + 1);
      const { status, contentType, body, headers: added = {} } = bend({
        status: answer.status,
        contentType: answer.headers.get("Content-Type") ?? "",
        body: await answer.json(),
      }, before);
      const passed = new Headers(answer.headers);
      passed.delete("Content-Length");
      passed.set("Content-Type", contentType);
      for (const [header, value] of Object.entries(added)) passed.set(header, value);
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return new Response(text, { status, headers: passed });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    /** How many requests of an operation came. */
    made: (name: string) => made.get(name) ?? 0,
    [Symbol.asyncDispose]: async () => await server.shutdown(),
  };
}
