// Standard Webhooks: how requests to receivers are signed. https://www.standardwebhooks.com
const PREFIX = "whsec_";

/** A webhook secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(32)));
}

/**
 * The header `webhook-signature` of a request: `v1,<HMAC-SHA256 in base64>` for each secret,
 * separated by spaces. After a rotation, the request is also signed with the previous secret for
 * some hours.
 *
 * @param secrets the secrets, each in the form `whsec_` followed by base64.
 * @param id the header `webhook-id`.
 * @param timestampSeconds the header `webhook-timestamp`, in seconds since 1970.
 * @throws Error when a secret is malformed. The message never contains the secret.
 */
export async function sign(
  secrets: readonly string[],
  id: string,
  timestampSeconds: number,
  body: string | Uint8Array,
): Promise<string> {
  const head = new TextEncoder().encode(`${id}.${timestampSeconds}.`);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const content = new Uint8Array(head.length + bytes.length);
  content.set(head);
  content.set(bytes, head.length);
  const macs = secrets.map(async (secret) =>
    `v1,${toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(secret), content)))}`
  );
  return (await Promise.all(macs)).join(" ");
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const [, base64] = /^whsec_([A-Za-z\d+/]{32,}={0,2})$/.exec(secret) ?? [];
  if (base64 === undefined) {
    throw new Error("The secret of the webhook must be whsec_ followed by base64");
  }
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return await crypto.subtle.importKey(
    "raw",
    bytes,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
