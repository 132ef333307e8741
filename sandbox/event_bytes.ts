/** The channel escapes these characters in a special way. */
const ESCAPED: Record<string, string> = { "/": "\\/", "<": "\\u003C" };

/**
 * The bytes of an event, as the channel writes JSON: characters beyond ASCII, and some others, are
 * escaped. If JSON is parsed and written again, it has other bytes and another signature.
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

/** The header X-Hub-Signature-256 of an event: the HMAC of its bytes with the secret of the app. */
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
