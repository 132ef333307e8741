/** An answer that was read from a connection. */
export interface RawAnswer {
  status: number;
  /** Its header lines, in small letters. */
  head: string;
  // deno-lint-ignore no-explicit-any -- tests look into bodies that they then compare
  body: any;
}

/** A server with this function, by Deno's own HTTP server. */
export function served(fetch: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, fetch);
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Opens a connection and sends these bytes, whether or not they are HTTP. */
export async function rawConnection(port: number, text: string) {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await write(connection, text);
  return {
    /** Sends more; does nothing once the server has closed the connection. */
    write: (text: string) => write(connection, text).catch(() => {}),
    /** Ends the sending half: the server reads an end, and can still answer. */
    endSending: () => connection.closeWrite(),
    hangUp: () => connection.close(),
    /** The answer, read to the end that its Content-Length says. Closes the connection. */
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
