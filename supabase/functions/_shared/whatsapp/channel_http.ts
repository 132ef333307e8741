// What every call of the channel shares: the connection, an answer of bounded size, and why a call failed.

let client: Deno.HttpClient | undefined;

/**
 * A client for HTTP/1.1, where a call has a connection of its own. Over HTTP/2, calls share a connection, and
 * when it breaks, the outcome of all of them is unknown. 64 simultaneous calls also take a seventh longer.
 */
export function channelClient(): Deno.HttpClient | undefined {
  // Not every Supabase runtime lets a function choose the protocol.
  return client ??= Deno.createHttpClient?.({ http1: true, http2: false });
}

/**
 * The beginning of an answer's text, of at most so many bytes, and whether that is all of it. The bytes are
 * counted after decompression: the runtime decompresses as it is read, and a small answer may decompress to
 * gigabytes. The rest is cancelled, which ends the connection.
 */
export async function beginningOf(
  { body }: Response,
  maxBytes: number,
): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let left = maxBytes;
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes.subarray(0, Math.max(left, 0)), { stream: true });
    left -= bytes.length;
    if (left < 0) return { text, isWhole: false }; // which cancels the body
  }
  return { text: text + decoder.decode(), isWhole: true };
}

/** The value of a JSON text; undefined when it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The reason of a failed fetch, without the address: `client error (Connect): dns error: …`. */
export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  const reason = cause instanceof Error ? cause.message : message;
  return `${name}: ${reason.replace(/^error sending request .*?: (?=client error)/, "")}`;
}
