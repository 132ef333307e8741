/** A server that reads and counts requests, and closes each connection without a response. */
export function breakingServer() {
  let requests = 0;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(65_536));
      requests++;
      connection.close();
    }
  })();
  return {
    url: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    get requests() {
      return requests;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}
