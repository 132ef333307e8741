/** A response read from a connection. */
export interface RawAnswer {
  status: number;
  /** The header lines in lower case. */
  head: string;
  // deno-lint-ignore no-explicit-any -- tests compare parts of any body
  body: any;
}

/** Runs this handler in Deno's own HTTP server. */
export function served(fetch: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, fetch);
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Opens a connection and sends these bytes, whether or not they are HTTP. */
export async function rawConnection(port: number, text: string) {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await write(connection, text);
  return {
    /** Sends further bytes. Does nothing if the server has already closed the connection. */
    write: (text: string) => write(connection, text).catch(() => {}),
    /** Closes the sending half of the connection. The server can still respond. */
    endSending: () => connection.closeWrite(),
    hangUp: () => connection.close(),
    /** Reads the response up to its Content-Length, and closes the connection. */
    answer: () => read(connection),
  };
}

async function write(connection: Deno.Conn, text: string) {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function read(connection: Deno.Conn): Promise<RawAnswer> {
  let text = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(16_384);
  try {
    for (;;) {
      const [, head, body] = /^(.*?)\r\n\r\n(.*)$/s.exec(text) ?? [];
      const length = Number(/^content-length: (\d+)/mi.exec(head ?? "")?.[1]);
      if (head && body.length >= length) {
        const status = Number(head.split(" ")[1]);
        return { status, head: head.toLowerCase(), body: body === "" ? null : JSON.parse(body) };
      }
      const count = await connection.read(buffer);
      if (count === null) throw new Error(`The connection ended after ${JSON.stringify(text)}`);
      text += decoder.decode(buffer.subarray(0, count), { stream: true });
    }
  } finally {
    connection.close();
  }
}
