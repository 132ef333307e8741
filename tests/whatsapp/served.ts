import type { ChannelConfig } from "../../supabase/functions/_shared/channel/channel_config.ts";

/**
 * A token that is as long as a real token. Each group of its letters and digits is unusual, so a
 * test finds even a piece of the token in other text.
 */
export const TOKEN = "EAAG" + Array.from({ length: 28 }, (_, n) => `q${n}Zx${n * 7}w`).join("");

/**
 * A request that a server has received. Its body is decoded as Latin-1, so that each character is
 * one byte.
 */
export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: string;
}

/** A server for one test, on a free port, that stores every complete request. */
export function served(
  answer: (request: Seen) => Response | Promise<Response>,
  hostname = "127.0.0.1",
) {
  const seen: Seen[] = [];
  const server = Deno.serve({ hostname, port: 0, onListen: () => {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const bytes = await request.bytes().catch(() => null);
    if (!bytes) return new Response(null, { status: 400 }); // the request was incomplete
    seen.push({
      method: request.method,
      path: pathname,
      query: searchParams,
      headers: request.headers,
      body: new TextDecoder("latin1").decode(bytes),
    });
    return await answer(seen.at(-1)!);
  });
  const origin = `http://${hostname}:${server.addr.port}`;
  return {
    origin,
    seen,
    channel: channelAt(origin),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A channel on this origin, which also serves samples. */
export function channelAt(origin: string): ChannelConfig {
  return { url: `${origin}/v26.0`, timeoutMs: 20_000, mediaHosts: [origin] };
}

/** An error as the channel returns it. */
export function refusal(code: number, message: string, more: object = {}, status = 400): Response {
  return Response.json({ error: { message, type: "OAuthException", code, ...more } }, { status });
}
