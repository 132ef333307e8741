import { freePort } from "./free_port.ts";

/**
 * Starts a TCP proxy in front of Postgres. The proxy can cut its connections.
 * @param databaseUrl the database URL, for any role.
 * @param watch creates a stream for each connection. The bytes sent to Postgres pass through this
 * stream.
 */
export function startPostgresProxy(
  databaseUrl: string,
  watch = () => new TransformStream<Uint8Array, Uint8Array>(),
) {
  const database = new URL(databaseUrl);
  const connections = new Set<Deno.Conn>();
  const listen = (port: number) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port });
    (async () => {
      for await (const from of listener) {
        const to = await Deno.connect({ hostname: "127.0.0.1", port: Number(database.port) });
        connections.add(from).add(to);
        from.readable.pipeThrough(watch()).pipeTo(to.writable).catch(() => {});
        to.readable.pipeTo(from.writable).catch(() => {});
      }
    })();
    return listener;
  };
  // While the proxy is cut, no other test may get its port.
  const port = freePort();
  let listener = listen(port);
  /** Closes every connection and refuses new connections. */
  const cut = () => {
    listener.close();
    for (const connection of connections) {
      try {
        connection.close();
      } catch {
        // The other side has already closed the connection.
      }
    }
    connections.clear();
  };
  /** The database URL through the proxy, for a role. */
  const url = (role: string) => {
    const address = new URL(database);
    Object.assign(address, { username: role, port: String(port) });
    return address.href;
  };
  /** Accepts connections again, on the same port. */
  const restore = () => {
    listener = listen(port);
  };
  return { url, cut, restore };
}
