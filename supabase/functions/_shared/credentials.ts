import * as jose from "jose";
import { ConfigError } from "./config.ts";

// 32 bytes are 43 characters in either alphabet, and one "=" where the encoding pads.
const KEY = /^([A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$/;

/**
 * The key under which access tokens of messaging accounts are stored, from the text of the secret
 * CREDENTIALS_KEY: 32 bytes in base64 or base64url.
 *
 * @throws ConfigError when it is missing or anything else; the sentence never quotes it.
 */
export function readCredentialsKey(text: string | undefined): Uint8Array {
  if (!text || !KEY.test(text)) {
    throw new ConfigError(
      "CREDENTIALS_KEY must be 32 random bytes in base64 or base64url, the same for the functions " +
        "and the operator's command; `openssl rand -base64 32` makes one.",
    );
  }
  return jose.base64url.decode(text.replaceAll("+", "-").replaceAll("/", "_").replace("=", ""));
}

/**
 * An access token as the database keeps it: a compact JWE (RFC 7516) with the key used directly and
 * A256GCM. Two seals of one token differ.
 */
export async function sealToken(token: string, key: Uint8Array): Promise<string> {
  return await new jose.CompactEncrypt(new TextEncoder().encode(token))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .encrypt(key);
}

/**
 * The access token that `sealToken` sealed under the same key.
 * @throws jose.errors.JOSEError when it was sealed under another key, in another way, or altered.
 */
export async function openToken(sealed: string, key: Uint8Array): Promise<string> {
  const { plaintext } = await jose.compactDecrypt(sealed, key, {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
  });
  return new TextDecoder().decode(plaintext);
}
