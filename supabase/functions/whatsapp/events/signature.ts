// Only the format that the channel writes is accepted. If the header is sent twice, its value is
// one string with a comma, and is refused.
const HEADER = /^sha256=([0-9a-f]{64})$/;

/** The bytes of `X-Hub-Signature-256`; null when the header is missing or malformed. */
export function signatureIn(headers: Headers): Uint8Array | null {
  const [, hex] = HEADER.exec(headers.get("X-Hub-Signature-256") ?? "") ?? [];
  if (hex === undefined) return null;
  return Uint8Array.from({ length: 32 }, (_, at) => parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}

/** A secret as a cryptographic key that can only verify signatures. */
export async function signatureKey(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret);
  return await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
}

/**
 * Whether one of these secrets has signed the bytes. The duration of the check reveals nothing
 * about the signature.
 */
export async function isSigned(
  bytes: Uint8Array,
  signature: Uint8Array,
  keys: CryptoKey[],
): Promise<boolean> {
  const verdicts = await Promise.all(
    keys.map((key) =>
      crypto.subtle.verify("HMAC", key, signature as BufferSource, bytes as BufferSource)
    ),
  );
  return verdicts.includes(true);
}
