// A proxy that damages every third response.

/** A way in which the proxy damages a response. */
interface Harm {
  /** Whether the proxy forwards the request to the API. */
  forwards: boolean;
  /**
   * Returns the part of the response that the client receives before the proxy closes the
   * connection. If it returns null, the proxy resets the connection.
   */
  answer(answer: string): string | null;
  /** How long the proxy delays the response, in milliseconds. */
  delay?: number;
}

/**
 * How long a delayed response takes, in milliseconds. A client with a shorter timeout receives no
 * response.
 */
export const DELAY = 2000;

const BAD_GATEWAY = whole(
  "502 Bad Gateway",
  new Headers({ "Content-Type": "text/html" }),
  "<html><body>502 Bad Gateway</body></html>",
);

const HARMS: Record<string, Harm> = {
  "resets before": { forwards: false, answer: () => null },
  "resets after": { forwards: true, answer: () => null },
  "delays before": { forwards: false, answer: () => null, delay: DELAY },
  "delays after": { forwards: true, answer: (answer) => answer, delay: DELAY },
  "502 before": { forwards: false, answer: () => BAD_GATEWAY },
  "502 after": { forwards: true, answer: () => BAD_GATEWAY },
  // The response is shorter than its Content-Length header says, so the client notices the
  // truncation.
  "truncates": { forwards: true, answer: (answer) => answer.slice(0, -20) },
  "cuts the JSON": {
    forwards: true,
    answer(answer) {
      const [head, body] = answer.split("\r\n\r\n");
      const half = body.slice(0, body.length / 2);
      return `${head.replace(/^content-length:.*\r\n/im, "")}\r\n\r\n${half}`;
    },
  },
};

/** Forwards requests to a URL, and counts the requests and the damaged responses. */
export function flakyProxy(target: string) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const harms = Object.entries(HARMS);
  const counts: Record<string, number> = {};
  let requests = 0;
  const serve = async (connection: Deno.Conn) => {
    using _closed = connection;
    const request = await readRequest(connection);
    if (!request) return;
    const [name, harm] = ++requests % 3 === 0
      ? harms[(requests / 3) % harms.length]
      : ["forwards", null];
    counts[name] = (counts[name] ?? 0) + 1;
    const answer = !harm || harm.forwards ? await forwarded(target, request) : "";
    if (harm?.delay) await new Promise((resolve) => setTimeout(resolve, harm.delay));
    const text = harm ? harm.answer(answer) : answer;
    if (text !== null) await writeAll(connection, new TextEncoder().encode(text));
  };
  const serving = (async () => {
    for await (const connection of listener) serve(connection).catch(() => {}); // the client has disconnected
  })();
  return {
    url: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    counts,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

interface RawRequest {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}

/** Reads the request of a connection. Each connection has only one request. */
async function readRequest(connection: Deno.Conn): Promise<RawRequest | null> {
  const buffer = new Uint8Array(16_384);
  let text = "";
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  for (;;) {
    const count = await connection.read(buffer);
    if (count === null) return null;
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) continue;
    const [line, ...lines] = text.slice(0, end).split("\r\n");
    const headers = new Headers(lines.map((each) => {
      const [name, ...value] = each.split(":");
      return [name, value.join(":").trim()];
    }));
    const body = text.slice(end + 4);
    if (encoder.encode(body).length < Number(headers.get("Content-Length") ?? 0)) continue;
    const [method, path] = line.split(" ");
    return { method, path, headers, body };
  }
}

async function forwarded(target: string, request: RawRequest): Promise<string> {
  const { method, path, headers, body } = request;
  for (const name of ["Host", "Connection", "Content-Length", "Accept-Encoding"]) {
    headers.delete(name);
  }
  const response = await fetch(target + path, { method, headers, body: body || null });
  return whole(
    `${response.status} ${response.statusText}`,
    response.headers,
    await response.text(),
  );
}

function whole(status: string, headers: Headers, body: string): string {
  const kept = new Headers(headers);
  for (const name of ["Content-Encoding", "Transfer-Encoding", "Connection"]) kept.delete(name);
  kept.set("Content-Length", String(new TextEncoder().encode(body).length));
  kept.set("Connection", "close");
  const lines = Array.from(kept, ([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`;
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
