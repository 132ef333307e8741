// Simulates a DNS rebinding attack: a connection to a host name reaches a different machine from
// the one in the DNS response.
import type { Certificate } from "./certificate.ts";

/**
 * Starts a server with this certificate, and creates a client. All connections of the client go to
 * this server, whatever the host in the URL is. The client behaves as if each host's DNS record had
 * changed between the look-up and the connection.
 *
 * @param trusted the certificates that the client trusts.
 * @param answer the response to every request.
 */
export function reboundTo(
  certificate: Certificate,
  trusted: Certificate[],
  answer = "HTTP/1.1 204 No Content\r\n\r\n",
) {
  const seen = { connections: 0, bytes: 0 };
  const machine = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...certificate });
  const tunnel = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  const serve = async (conn: Deno.Conn) => {
    seen.connections++;
    const bytes = new Uint8Array(10_000);
    for (let read; (read = await conn.read(bytes)) !== null;) {
      if (seen.bytes === 0) await conn.write(new TextEncoder().encode(answer));
      seen.bytes += read;
    }
  };
  // The client asks for a connection to the named host, but the proxy always connects it to the
  // server on this machine.
  const pass = async (conn: Deno.Conn) => {
    await conn.read(new Uint8Array(10_000));
    const to = await Deno.connect({ hostname: "127.0.0.1", port: portOf(machine) });
    open.add(to);
    await conn.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
    await Promise.all([conn.readable.pipeTo(to.writable), to.readable.pipeTo(conn.writable)]);
  };
  const accepting = [accept(machine, serve, open), accept(tunnel, pass, open)];
  const client = Deno.createHttpClient({
    proxy: { url: `http://127.0.0.1:${portOf(tunnel)}` },
    caCerts: trusted.map(({ cert }) => cert),
  });
  return {
    client,
    /**
     * The number of connections to the server, and the number of decrypted bytes that the server
     * received.
     */
    seen,
    async [Symbol.asyncDispose]() {
      client.close();
      for (const each of [machine, tunnel, ...open]) {
        try {
          each.close();
        } catch { /* it is closed */ }
      }
      await Promise.all(accepting);
    },
  };
}

async function accept(
  listener: Deno.Listener,
  handle: (conn: Deno.Conn) => Promise<void>,
  open: Set<Deno.Conn>,
) {
  const handling: Promise<void>[] = [];
  try {
    for (;;) {
      const conn = await listener.accept();
      open.add(conn);
      handling.push(handle(conn).catch(() => {})); // the other side closes connections
    }
  } catch { /* the listener is closed */ }
  await Promise.all(handling);
}

function portOf({ addr }: Deno.Listener): number {
  return (addr as Deno.NetAddr).port;
}
