import { stack } from "../support/test_stack.ts";

/**
 * A door to the tests' Postgres that can be shut.
 * @param watch makes what sees the bytes of one connection that go in.
 */
export function openDoor(watch = () => new TransformStream<Uint8Array, Uint8Array>()) {
  const database = new URL(stack.database_url);
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
  let listener = listen(0);
  const { port } = listener.addr as Deno.NetAddr;
  const shut = () => {
    listener.close();
    for (const connection of connections) {
      try {
        connection.close();
      } catch {
        // It was closed from the other side.
      }
    }
    connections.clear();
  };
  /** The address of the database behind the door, for a role. */
  const url = (role: string) => {
    const address = new URL(database);
    Object.assign(address, { username: role, port: String(port) });
    return address.href;
  };
  return { url, shut, open: () => listener = listen(port) };
}
