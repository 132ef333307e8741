// HTTP/1.1, written byte by byte: fetch cannot send invalid requests, and half of the attack
// consists of them.
import { concat } from "deno-std/bytes/concat.js";
import { indexOfNeedle } from "deno-std/bytes/index_of_needle.js";
import { deadline } from "deno-std/async/deadline.js";

/** A request that is written byte by byte. */
export interface WireRequest {
  method: string;
  /** The path and the query, as they are sent. */
  target: string;
  /**
   * A name may occur more than once. A missing `Host` is added. A missing `Content-Length` is also
   * added if the body is not sent in chunks.
   */
  headers: [name: string, value: string][];
  body?: string | Uint8Array;
  /** Sends the body in chunks of this many bytes, without its length. */
  chunkBytes?: number;
  /** Sends only this many bytes of the body, and then ends the request. */
  cutAfter?: number;
  /** Stops sending after this many bytes, without ending the request. */
  stalls?: boolean;
}

export interface WireAnswer {
  status: number;
  headers: Headers;
  text: string;
}

const PATIENCE_MS = 60_000;

/**
 * Sends a request on a new connection.
 * @returns the response; null when there is none within a minute, or when the server closes the
 * connection instead.
 */
export async function exchange(url: string, request: WireRequest): Promise<WireAnswer | null> {
  const { hostname, port } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) }).catch(() => null);
  if (!connection) return null;
  try {
    write(connection, `${hostname}:${port}`, request).catch(() => {}); // the response may arrive before the end of the request
    const bytes = await deadline(readAll(connection), PATIENCE_MS);
    return parseAnswer(bytes);
  } catch {
    return null;
  } finally {
    connection.close();
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function write(connection: Deno.Conn, host: string, request: WireRequest) {
  const { method, target, headers, body, chunkBytes, cutAfter, stalls } = request;
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
  // Closing the writing side tells the server that the request has ended here.
  if (cutAfter !== undefined && !stalls) await (connection as Deno.TcpConn).closeWrite();
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
    const length = await from.read(buffer).catch(() => null); // after a reset, the bytes that were read earlier are kept
    if (length === null) return concat(pieces);
    pieces.push(buffer.slice(0, length));
    // A server may keep the connection open while it still waits for the request's body.
    if (length < buffer.length && hasDeclaredLength(concat(pieces))) return concat(pieces);
  }
}

/** Whether a response that declares the length of its body is complete. */
function hasDeclaredLength(bytes: Uint8Array): boolean {
  const end = indexOfNeedle(bytes, new Uint8Array(HEAD_END));
  if (end < 0) return false;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(decoder.decode(bytes.subarray(0, end))) ??
    [];
  return length !== undefined && bytes.length >= end + HEAD_END.length + Number(length);
}

const LINE_END = [13, 10];
const HEAD_END = [...LINE_END, ...LINE_END];

function parseAnswer(bytes: Uint8Array): WireAnswer | null {
  const end = indexOfNeedle(bytes, new Uint8Array(HEAD_END));
  const [first, ...lines] = decoder.decode(bytes.subarray(0, Math.max(end, 0))).split("\r\n");
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(first) ?? [];
  if (!status) return null;
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const body = bytes.subarray(end + HEAD_END.length);
  const isChunked = headers.get("Transfer-Encoding") === "chunked";
  const text = decoder.decode(isChunked ? unchunked(body) : body);
  return { status: Number(status), headers, text };
}

/**
 * Joins the chunks of a body. Each chunk consists of its size in hexadecimal, a line end, its bytes
 * and a line end.
 */
function unchunked(bytes: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const begin = indexOfNeedle(bytes, new Uint8Array(LINE_END), at) + LINE_END.length;
    const size = parseInt(decoder.decode(bytes.subarray(at, begin)), 16);
    if (!(size > 0)) break;
    pieces.push(bytes.subarray(begin, begin + size));
    at = begin + size + LINE_END.length;
  }
  return concat(pieces);
}

const SHOWN = 400;

/** A request in one line, for a finding. Long parts are shortened, and their length is shown. */
export function shown(request: WireRequest): string {
  const { method, target, headers, body, chunkBytes, cutAfter, stalls } = request;
  const text = typeof body === "string" ? body : body && `(${body.length} bytes)`;
  return [
    `${method} ${shortened(target)}`,
    ...headers.map(([name, value]) => `${name}: ${shortened(value, 120)}`),
    ...(text === undefined ? [] : [shortened(text)]),
    ...(chunkBytes ? [`in chunks of ${chunkBytes}`] : []),
    ...(cutAfter === undefined ? [] : [`${stalls ? "stalls" : "cut off"} after ${cutAfter} bytes`]),
  ].join(" · ").replaceAll(/sk_live_[\w-]{8,}/g, "sk_live_…");
}

export function shortened(text: string, length = SHOWN): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
}
