// Shared code for all calls to the channel: it provides the connection, reads a response up to a
// size limit, and finds the reason for a failure.

let client: Deno.HttpClient | undefined;

/**
 * An HTTP/1.1 client, so that each call has its own connection. Over HTTP/2, calls share one
 * connection. When that connection breaks, the outcomes of all its calls are unknown. With 64
 * simultaneous calls, HTTP/2 is also 14% slower.
 */
export function channelClient(): Deno.HttpClient | undefined {
  // Not every Supabase runtime lets a function choose the protocol.
  return client ??= Deno.createHttpClient?.({ http1: true, http2: false });
}

/**
 * Reads at most `maxBytes` bytes of a response as text, and reports whether this is the whole
 * response. Bytes are counted after decompression, because a small response may decompress to
 * gigabytes. The rest of the response is cancelled, which closes the connection.
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
    if (left < 0) return { text, isWhole: false }; // returning cancels the body
  }
  return { text: text + decoder.decode(), isWhole: true };
}

/** Parses a JSON string. Returns undefined when the string is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The reason for a failed fetch, without the URL: `client error (Connect): dns error: …`. */
export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  const reason = cause instanceof Error ? cause.message : message;
  return `${name}: ${reason.replace(/^error sending request .*?: (?=client error)/, "")}`;
}
