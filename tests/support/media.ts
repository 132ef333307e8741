import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import {
  type GatewayConfig,
  readGatewayConfig,
} from "../../supabase/functions/gateway/gateway_config.ts";
import { addMessage, type Company } from "./company.ts";
// Hides the log lines of the functions in this process.
import "./own_functions.ts";
import { environment, stack, withDatabase } from "./test_stack.ts";

/** The metadata of a media file, as the webhook stores it in a message. */
export interface ToldMedium {
  id: string;
  mime_type: string | null;
  sha256: string | null;
  filename: string | null;
  expires_at: string | null;
  gone_at?: string;
}

export const HOUR_MS = 60 * 60 * 1000;

export function hex(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Adds a message with a media file to a company's conversation, and returns the message's id. */
export async function addMedium(
  company: Pick<Company, "id" | "conversation_id">,
  bytes: Uint8Array,
  { type = "image", ...changes }: Partial<ToldMedium> & { type?: string } = {},
): Promise<string> {
  const media = {
    ...{ id: "1234567890", mime_type: "image/jpeg", sha256: hex(bytes), filename: null },
    ...{ voice: null, animated: null },
    expires_at: new Date(Date.now() + HOUR_MS).toISOString(),
    ...changes,
  };
  return await withDatabase((sql) => addMessage(sql, company, { type, content: "", media }));
}

/** A request that the test's channel has received. */
export interface SeenRequest {
  method: string;
  url: string;
  path: string;
  token: string | null;
}

type Answer = (request: SeenRequest) => Response | Promise<Response> | undefined;

/**
 * A channel with one media file. The API is below /v26.0, and the file is below /files/.
 * @param answer returns a response instead of the channel, or undefined to let the channel respond.
 */
export function mediaChannel(
  bytes: Uint8Array<ArrayBuffer>,
  { type = "image/jpeg", answer = () => undefined }: { type?: string; answer?: Answer } = {},
) {
  const seen: SeenRequest[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname: path } = new URL(request.url);
    const token = request.headers.get("Authorization");
    const each = { method: request.method, url: request.url, path, token };
    seen.push(each);
    const own = await answer(each);
    if (own) return own;
    if (path.startsWith("/files/")) {
      return new Response(bytes, { headers: { "Content-Type": type } });
    }
    return Response.json(facts(new URL(request.url).origin, bytes, { mime_type: type }));
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    origin,
    url: `${origin}/v26.0`,
    seen,
    /** The paths of all requests so far. */
    get paths() {
      return seen.map(({ path }) => path);
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** The channel's response with the metadata of a media file. */
export function facts(origin: string, bytes: Uint8Array, changes: Record<string, unknown> = {}) {
  return {
    ...{ messaging_product: "whatsapp", url: `${origin}/files/1`, mime_type: "image/jpeg" },
    ...{ sha256: hex(bytes), file_size: bytes.length, id: "1234567890" },
    ...changes,
  };
}

/** The digest of a file in the format of the channel's events. */
export function base64Digest(bytes: Uint8Array): string {
  return Buffer.from(hex(bytes), "hex").toString("base64");
}

/**
 * A gateway in a separate server, with the channel at this URL. `ask` does not read the response
 * body, so a test can read the body slowly.
 */
export async function mediaGateway(
  channelUrl: string,
  { supabaseUrl = stack.url, ...changes }: Partial<GatewayConfig> = {},
) {
  const config = await readGatewayConfig(environment({ supabaseUrl, channelUrl }));
  const app = gateway({ ...config, tellUsageEveryMs: 24 * HOUR_MS, ...changes });
  const server = Deno.serve(
    // Hides the errors of interrupted responses, which the tests expect.
    { hostname: "127.0.0.1", port: 0, onListen() {}, onError: () => new Response() },
    (request) => app.fetch(request),
  );
  const url = `http://127.0.0.1:${server.addr.port}/gateway`;
  return {
    url,
    ask: async (
      key: string,
      path: string,
      { method = "GET", headers, signal }: {
        method?: string;
        headers?: Record<string, string>;
        signal?: AbortSignal;
      } = {},
    ) =>
      await fetch(url + path, {
        method,
        headers: { Authorization: `Bearer ${key}`, ...headers },
        signal,
      }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/**
 * A stream with this many bytes in pieces of 64 KiB, and a promise that resolves when the reader
 * cancels the stream.
 */
export function streamOf(size: number, endsAt = size) {
  const letGo = Promise.withResolvers<void>();
  let at = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at >= size) return controller.close();
      if (at >= endsAt) return controller.error(new Error("The test interrupts the stream"));
      const piece = patternAt(at, Math.min(65_536, size - at));
      at += piece.length;
      controller.enqueue(piece);
    },
    cancel: () => letGo.resolve(),
  }, { highWaterMark: 0 });
  return { body, letGo: letGo.promise };
}

const PATTERN = Uint8Array.from({ length: 65_536 + 251 }, (_, index) => index % 251);

/** The bytes of `streamOf` at an offset. The first bytes are the start of a PDF. */
function patternAt(at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = PATTERN.slice(at % 251, at % 251 + length);
  if (at === 0) bytes.set(new TextEncoder().encode("%PDF-1.4\n"));
  return bytes;
}

/** All bytes of `streamOf`. */
export function patternOf(size: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(size);
  for (let at = 0; at < size; at += 65_536) {
    all.set(patternAt(at, Math.min(65_536, size - at)), at);
  }
  return all;
}
