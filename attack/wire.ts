// HTTP/1.1 as an attacker writes it: fetch sends no wrong request, and a good half of the attack is that.
import { concat } from "deno-std/bytes/concat.js";
import { deadline } from "deno-std/async/deadline.js";

/** A request, byte by byte. */
export interface WireRequest {
  method: string;
  /** The path and the query, as they go out. */
  target: string;
  /** May hold a name more than once. `Host` is added when it is missing, and a length for the body. */
  headers: [name: string, value: string][];
  body?: string | Uint8Array;
  /** Sends the body in chunks of so many bytes, without its length. */
  chunkBytes?: number;
  /** Sends only so many bytes of the body, and then ends. */
  cutAfter?: number;
}

export interface WireAnswer {
  status: number;
  headers: Headers;
  text: string;
}

const PATIENCE_MS = 60_000;

/**
 * Sends a request on a connection of its own.
 * @returns the answer; null when the server closes the connection instead.
 * @throws Error when nothing comes for a minute.
 */
export async function exchange(url: string, request: WireRequest): Promise<WireAnswer | null> {
  const { hostname, port } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  try {
    write(connection, `${hostname}:${port}`, request).catch(() => {}); // it may be answered before its end
    const bytes = await deadline(readAll(connection), PATIENCE_MS);
    return parseAnswer(bytes);
  } finally {
    connection.close();
  }
}

const encoder = new TextEncoder();

async function write(connection: Deno.Conn, host: string, request: WireRequest) {
  const { method, target, headers, body, chunkBytes, cutAfter } = request;
  const has = (name: string) => headers.some(([each]) => each.toLowerCase() === name);
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const lines: [string, string][] = [
    ...(has("host") ? [] : [["Host", host] as [string, string]]),
    ...headers,
    ["Connection", "close"],
  ];
  if (bytes && chunkBytes) lines.push(["Transfer-Encoding", "chunked"]);
  else if (bytes && !has("content-length")) lines.push(["Content-Length", String(bytes.length)]);
  const head = [`${method} ${target} HTTP/1.1`, ...lines.map((line) => line.join(": ")), "", ""];
  await writeAll(connection, encoder.encode(head.join("\r\n")));
  if (!bytes) return;
  const sent = bytes.subarray(0, cutAfter);
  if (chunkBytes) await writeChunks(connection, sent, chunkBytes, cutAfter === undefined);
  else await writeAll(connection, sent);
  // An HTTP server that reads on sees the end of the request here.
  if (cutAfter !== undefined) await (connection as Deno.TcpConn).closeWrite();
}

async function writeChunks(to: Deno.Conn, bytes: Uint8Array, each: number, isWhole: boolean) {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += each) {
    const piece = bytes.subarray(at, at + each);
    const size = encoder.encode(`${piece.length.toString(16)}\r\n`);
    pieces.push(size, piece, encoder.encode("\r\n"));
  }
  if (isWhole) pieces.push(encoder.encode("0\r\n\r\n"));
  await writeAll(to, concat(pieces));
}

async function writeAll(to: Deno.Conn, bytes: Uint8Array) {
  for (let done = 0; done < bytes.length;) done += await to.write(bytes.subarray(done));
}

async function readAll(from: Deno.Conn): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const buffer = new Uint8Array(65_536);
  while (true) {
    const length = await from.read(buffer).catch(() => null); // reset: what came before it counts
    if (length === null) return concat(pieces);
    pieces.push(buffer.slice(0, length));
  }
}

function parseAnswer(bytes: Uint8Array): WireAnswer | null {
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf("\r\n\r\n");
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(text) ?? [];
  if (end < 0 || !status) return null;
  const headers = new Headers();
  for (const line of text.slice(0, end).split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const body = text.slice(end + 4);
  const isChunked = headers.get("Transfer-Encoding") === "chunked";
  return { status: Number(status), headers, text: isChunked ? unchunked(body) : body };
}

/** Reads chunks of text; their sizes count bytes, so the text is encoded for it. */
function unchunked(text: string): string {
  const bytes = encoder.encode(text);
  const decoder = new TextDecoder();
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const lineEnd = bytes.indexOf(13, at);
    const size = parseInt(decoder.decode(bytes.subarray(at, lineEnd)), 16);
    if (!(size > 0)) break;
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return decoder.decode(concat(pieces));
}

const SHOWN = 400;

/** A request in one line, for a finding. What is long is shortened, with its length. */
export function shown(
  { method, target, headers, body, chunkBytes, cutAfter }: WireRequest,
): string {
  const text = typeof body === "string" ? body : body && `(${body.length} bytes)`;
  return [
    `${method} ${shortened(target)}`,
    ...headers.map(([name, value]) => `${name}: ${shortened(value, 120)}`),
    ...(text === undefined ? [] : [shortened(text)]),
    ...(chunkBytes ? [`in chunks of ${chunkBytes}`] : []),
    ...(cutAfter === undefined ? [] : [`cut off after ${cutAfter} bytes`]),
  ].join(" · ").replaceAll(/sk_live_[\w-]{8,}/g, "sk_live_…");
}

export function shortened(text: string, length = SHOWN): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
