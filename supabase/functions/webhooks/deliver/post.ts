import { exactTimeText } from "../../_shared/time_text.ts";
import type { Failure, Result, Try } from "./delivery.ts";
import { resultOf } from "./result.ts";

/**
 * Of an unsuccessful response, at most `READ_BYTES` bytes are read, and at most `KEPT_CHARACTERS`
 * characters are kept.
 */
const READ_BYTES = 1024;
const KEPT_CHARACTERS = 256;

/** Sends a request to a receiver. Never throws. */
export async function post(
  url: string,
  headers: Record<string, string>,
  body: Uint8Array,
  timeoutMs: number,
): Promise<{ result: Result; try: Try }> {
  const at = exactTimeText(Date.now());
  const began = performance.now();
  const ended = (status: number | null, failure: Failure | null, text: string | null): Try => ({
    ...{ at, status, failure },
    ms: Math.round(performance.now() - began),
    answer: text,
  });
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers,
      body: body as BodyInit,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { status } = answer;
    const result = resultOf(status, answer.headers.get("Retry-After"), Date.now());
    if (result.kind === "delivered") {
      await answer.body?.cancel();
      return { result, try: ended(status, null, null) };
    }
    // If the body stops or the connection breaks, the status still says what the receiver wants.
    const text = await beginningOf(answer).catch(() => null);
    return { result, try: ended(status, null, text) };
  } catch (error) {
    return { result: { kind: "failed" }, try: ended(null, failureOf(error), null) };
  }
}

/** The first characters of a response, as a string that the database can store. */
async function beginningOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece.subarray(0, READ_BYTES - length));
    length += pieces.at(-1)!.length;
    if (length >= READ_BYTES) break; // cancels the rest
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const characters = [...new TextDecoder().decode(bytes)].slice(0, KEPT_CHARACTERS);
  return characters.join("").replaceAll("\0", "");
}

/** Why a request received no response, from the message of the runtime's error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DOMException && error.name === "TimeoutError") return "timeout";
  const text = causesOf(error);
  if (/timed out|timeout/i.test(text)) return "timeout";
  if (/dns error|failed to lookup|name or service not known/i.test(text)) return "dns";
  if (/certificate|tls|handshake|InvalidData/i.test(text)) return "tls";
  return "reset";
}

/** The messages of an error and of its causes. */
function causesOf(error: unknown): string {
  const messages: string[] = [];
  for (let each = error, depth = 0; each instanceof Error && depth < 5; depth++) {
    messages.push(each.message);
    each = each.cause;
  }
  return messages.join("; ").slice(0, 2000);
}
