type Connection = Deno.TcpConn;

/**
 * A mock channel that works with raw TCP connections. It counts the connections and passes each
 * connection to a handler. When the handler ends, the connection is closed.
 */
export function bareChannel() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let connections = 0;
  let treat: (connection: Connection) => Promise<unknown> = async () => {};
  const serving = (async () => {
    for await (const connection of listener) {
      connections++;
      treat(connection).catch(() => {}).finally(() => connection.close());
    }
  })();
  return {
    address: `127.0.0.1:${listener.addr.port}`,
    /** Uses another handler for all new connections, and resets the count to zero. */
    become(way: typeof treat) {
      connections = 0;
      treat = way;
    },
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => {
      listener.close();
      await serving;
    },
  };
}

/** Reads a complete request, according to its Content-Length. */
export async function readRequest(connection: Connection) {
  let text = "";
  const piece = new Uint8Array(65_536);
  const length = () => Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? Infinity);
  while (text.indexOf("\r\n\r\n") < 0 || text.length < text.indexOf("\r\n\r\n") + 4 + length()) {
    const count = await connection.read(piece);
    if (count === null) throw new Error("The request is incomplete");
    text += new TextDecoder("latin1").decode(piece.subarray(0, count));
  }
}

/**
 * Writes a string in Latin-1, so that each character below U+0100 becomes the byte with the same
 * value.
 */
export async function write(connection: Connection, text: string) {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
