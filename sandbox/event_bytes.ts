/** The channel escapes these characters differently from other characters. */
const ESCAPED: Record<string, string> = { "/": "\\/", "<": "\\u003C" };

/**
 * The bytes of an event, as the channel writes JSON: non-ASCII characters and some others are
 * escaped. Parsing and rewriting the JSON would change its bytes and its signature.
 */
export function eventBytes(event: unknown): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(event).replace(
    // deno-lint-ignore no-control-regex -- all except printable ASCII
    /[^\x00-\x7e]|[/<%@]/g,
    (character) =>
      ESCAPED[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return new TextEncoder().encode(text);
}

/**
 * The value of an event's header `X-Hub-Signature-256`: the HMAC of the event's bytes with the
 * app's secret.
 */
export async function signatureOf(bytes: Uint8Array<ArrayBuffer>, secret: string): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return `sha256=${new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes)).toHex()}`;
}
