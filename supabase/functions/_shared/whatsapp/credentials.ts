import * as jose from "jose";
import { ConfigError } from "../config.ts";

// 32 bytes are 43 characters in either alphabet, and one "=" where the encoding pads.
const KEY = /^([A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$/;

/** The keys under which access tokens of messaging accounts may be sealed; new ones are under the current. */
export type CredentialsKeys = readonly [current: Uint8Array, previous?: Uint8Array];

/**
 * The key under which access tokens of messaging accounts are stored, from the text of the secret
 * CREDENTIALS_KEY: 32 bytes in base64 or base64url.
 *
 * @throws ConfigError when it is missing or anything else; the sentence never quotes it.
 */
export function readCredentialsKey(text: string | undefined): Uint8Array {
  const key = keyIn(text);
  if (key) return key;
  throw new ConfigError(
    "CREDENTIALS_KEY must be 32 random bytes in base64 or base64url, the same for the functions " +
      "and the operator's command; `openssl rand -base64 32` makes one.",
  );
}

/**
 * The keys of the secrets CREDENTIALS_KEY and CREDENTIALS_KEY_PREVIOUS. The second one is set while a
 * rotation is under way, and may be missing or empty.
 *
 * @throws ConfigError when one of them is malformed, or the first is missing; the sentence never quotes it.
 */
export function readCredentialsKeys(
  { CREDENTIALS_KEY, CREDENTIALS_KEY_PREVIOUS }: Record<string, string | undefined>,
): CredentialsKeys {
  const current = readCredentialsKey(CREDENTIALS_KEY);
  if (!CREDENTIALS_KEY_PREVIOUS) return [current];
  const previous = keyIn(CREDENTIALS_KEY_PREVIOUS);
  if (previous) return [current, previous];
  throw new ConfigError(
    "CREDENTIALS_KEY_PREVIOUS must be the CREDENTIALS_KEY before this one, 32 bytes in base64 or " +
      "base64url, or be left out.",
  );
}

function keyIn(text: string | undefined): Uint8Array | null {
  if (!text || !KEY.test(text)) return null;
  return jose.base64url.decode(text.replaceAll("+", "-").replaceAll("/", "_").replace("=", ""));
}

/**
 * The id of a key: its JWK thumbprint (RFC 7638, SHA-256 in base64url). The key is random, so its digest
 * tells nothing of it (section 7).
 */
export async function credentialsKeyId(key: Uint8Array): Promise<string> {
  return await jose.calculateJwkThumbprint({ kty: "oct", k: jose.base64url.encode(key) });
}

/**
 * An access token as the database keeps it: a compact JWE (RFC 7516) with the key used directly and
 * A256GCM, whose header names the key (`kid`). Two seals of one token differ.
 */
export async function sealToken(token: string, key: Uint8Array): Promise<string> {
  return await new jose.CompactEncrypt(new TextEncoder().encode(token))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: await credentialsKeyId(key) })
    .encrypt(key);
}

/** The id of the key that a sealed token names; undefined when it names none, or is no sealed token. */
export function keyIdOf(sealed: string): string | undefined {
  try {
    return jose.decodeProtectedHeader(sealed).kid;
  } catch {
    return undefined;
  }
}

/** A sealed token names a key that is not among the configured ones. */
export class UnknownCredentialsKey extends Error {
  override name = "UnknownCredentialsKey";
  constructor(readonly keyId: string) {
    super(
      `The token is sealed under the key ${keyId}, which is neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS`,
    );
  }
}

/**
 * The access token that `sealToken` sealed under one of these keys: the one that it names, and no other.
 * A token that names none was sealed by an earlier version, under any of them.
 *
 * @throws UnknownCredentialsKey when it names a key that is none of these; jose.errors.JOSEError when
 *   it was sealed under another key than it names, in another way, or altered.
 */
export async function openToken(sealed: string, keys: CredentialsKeys): Promise<string> {
  const keyId = keyIdOf(sealed);
  if (keyId !== undefined) return await decrypt(sealed, await keyWithId(keyId, keys));
  const [current, previous] = keys;
  try {
    return await decrypt(sealed, current);
  } catch (error) {
    if (!previous) throw error;
    return await decrypt(sealed, previous);
  }
}

async function keyWithId(id: string, keys: CredentialsKeys): Promise<Uint8Array> {
  for (const key of keys) if (key && await credentialsKeyId(key) === id) return key;
  throw new UnknownCredentialsKey(id);
}

async function decrypt(sealed: string, key: Uint8Array): Promise<string> {
  const { plaintext } = await jose.compactDecrypt(sealed, key, {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
  });
  return new TextDecoder().decode(plaintext);
}
