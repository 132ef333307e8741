import * as base64url from "jose/base64url";
import { ConfigError } from "../config.ts";

// Reads the keys that seal secrets. This code is in a separate file, so that a function loads the
// decryption code only when a request needs it.

// In base64 and base64url, 32 bytes are 43 characters. An encoder with padding adds one "=".
const KEY = /^([A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$/;

/**
 * The keys that seal the access tokens of messaging accounts, and the secrets of apps and webhooks.
 * New tokens and secrets are sealed with the current key.
 */
export type CredentialsKeys = readonly [current: Uint8Array, previous?: Uint8Array];

/**
 * The key in the secret CREDENTIALS_KEY, which seals new tokens and secrets: 32 bytes in base64 or
 * base64url.
 *
 * @throws ConfigError when the key is missing or malformed. The message never contains the key.
 */
export function readCredentialsKey(text: string | undefined): Uint8Array {
  const key = decodeKey(text);
  if (key) return key;
  throw new ConfigError(
    "CREDENTIALS_KEY must be 32 random bytes in base64 or base64url, the same for the functions " +
      "and the operator's command; `openssl rand -base64 32` makes one.",
  );
}

/**
 * The keys in the secrets CREDENTIALS_KEY and CREDENTIALS_KEY_PREVIOUS. The second is set during a
 * key rotation: first to the next key, then to the previous key. Otherwise it may be missing or
 * empty.
 *
 * @throws ConfigError when one of them is malformed, or the first is missing. The message never
 *   contains a key.
 */
export function readCredentialsKeys(
  { CREDENTIALS_KEY, CREDENTIALS_KEY_PREVIOUS }: Record<string, string | undefined>,
): CredentialsKeys {
  const current = readCredentialsKey(CREDENTIALS_KEY);
  if (!CREDENTIALS_KEY_PREVIOUS) return [current];
  const previous = decodeKey(CREDENTIALS_KEY_PREVIOUS);
  if (previous) return [current, previous];
  throw new ConfigError(
    "CREDENTIALS_KEY_PREVIOUS must be the previous or the next CREDENTIALS_KEY, 32 bytes in base64 " +
      "or base64url, or be left out.",
  );
}

function decodeKey(text: string | undefined): Uint8Array | null {
  if (!text || !KEY.test(text)) return null;
  return base64url.decode(text.replaceAll("+", "-").replaceAll("/", "_").replace("=", ""));
}
