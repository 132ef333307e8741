import { delay } from "deno-std/async/delay.js";

/** A request that a receiver has received. */
interface Got {
  name: string;
  headers: Record<string, string>;
}

/** Webhook receivers on one server: a good receiver and several hostile ones. */
export type HostileReceivers = ReturnType<typeof hostileReceivers>;

/** An endless answer stops after this many bytes, if a client reads that much. */
const GIGABYTE = 1024 ** 3;
const SILENCE_MS = 600_000;

/** @param resources ends the receivers at the end of the run. */
export function hostileReceivers(resources: AsyncDisposableStack) {
  const all: Got[] = [];
  const strays: string[] = [];
  const ending = new AbortController();
  let sentBytes = 0;
  const serve = (answer: (request: Request) => Response | Promise<Response>) =>
    Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);

  /** No webhook has this server's URL, so no delivery may reach this server. */
  const neighbour = serve((request) => {
    strays.push(request.url);
    return new Response("secret");
  });
  const behaviours: Record<string, (request: Request) => Response | Promise<Response>> = {
    good: () => new Response(null, { status: 204 }),
    redirect: () =>
      new Response(null, {
        status: 307,
        headers: { Location: `http://127.0.0.1:${neighbour.addr.port}/private` },
      }),
    endless: () => {
      const piece = new TextEncoder().encode("x".repeat(65_536));
      const body = new ReadableStream({
        pull(stream) {
          sentBytes += piece.length;
          if (sentBytes > GIGABYTE) stream.close();
          else stream.enqueue(piece);
        },
      });
      return new Response(body, { status: 500 });
    },
    drip: () => {
      const body = new ReadableStream({
        async pull(stream) {
          await delay(1_000, { signal: ending.signal }).catch(() => stream.close());
          if (!ending.signal.aborted) stream.enqueue(new TextEncoder().encode("x"));
        },
      });
      return new Response(body, { status: 500 });
    },
    silent: async () => {
      await delay(SILENCE_MS, { signal: ending.signal }).catch(() => {});
      return new Response(null, { status: 500 });
    },
  };
  const server = serve(async (request) => {
    const { pathname } = new URL(request.url);
    const name = pathname.slice(1);
    if (!Object.hasOwn(behaviours, name)) {
      strays.push(request.url);
      return new Response(null, { status: 404 });
    }
    await request.arrayBuffer();
    all.push({ name, headers: Object.fromEntries(request.headers) });
    return await behaviours[name](request);
  });
  resources.defer(() => {
    ending.abort();
    void server.shutdown();
    void neighbour.shutdown();
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    names: Object.keys(behaviours),
    /** The requests for a receiver in the order of their arrival. */
    got: (name: string) => all.filter((each) => each.name === name),
    /** The URLs of requests to `neighbour`, and to paths without a receiver. */
    strays: () => strays,
    /** The number of bytes of endless responses that were sent. */
    sentBytes: () => sentBytes,
  };
}
