import * as jose from "jose";
import { ConfigError } from "../config.ts";

// 32 bytes are 43 characters in either alphabet, and one "=" where the encoding pads.
const KEY = /^([A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$/;

/** The keys that may have sealed the access tokens of messaging accounts. The current key seals new ones. */
export type CredentialsKeys = readonly [current: Uint8Array, previous?: Uint8Array];

/**
 * The key that seals the access tokens of messaging accounts, from the text of the secret CREDENTIALS_KEY:
 * 32 bytes in base64 or base64url.
 *
 * @throws ConfigError when it is missing or malformed. The sentence never quotes it.
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
 * The keys in the secrets CREDENTIALS_KEY and CREDENTIALS_KEY_PREVIOUS. The second is set during a rotation,
 * and may be missing or empty.
 *
 * @throws ConfigError when one of them is malformed, or the first is missing. The sentence never quotes it.
 */
export function readCredentialsKeys(
  { CREDENTIALS_KEY, CREDENTIALS_KEY_PREVIOUS }: Record<string, string | undefined>,
): CredentialsKeys {
  const current = readCredentialsKey(CREDENTIALS_KEY);
  if (!CREDENTIALS_KEY_PREVIOUS) return [current];
  const previous = decodeKey(CREDENTIALS_KEY_PREVIOUS);
  if (previous) return [current, previous];
  throw new ConfigError(
    "CREDENTIALS_KEY_PREVIOUS must be the CREDENTIALS_KEY before this one, 32 bytes in base64 or " +
      "base64url, or be left out.",
  );
}

function decodeKey(text: string | undefined): Uint8Array | null {
  if (!text || !KEY.test(text)) return null;
  return jose.base64url.decode(text.replaceAll("+", "-").replaceAll("/", "_").replace("=", ""));
}

/**
 * The id of a key: its JWK thumbprint (RFC 7638, SHA-256 in base64url). The key is random, so its digest
 * reveals nothing of it (section 7).
 */
export async function credentialsKeyId(key: Uint8Array): Promise<string> {
  return await jose.calculateJwkThumbprint({ kty: "oct", k: jose.base64url.encode(key) });
}

/**
 * A messaging account, by what it keeps when it is connected again. The row's id is not part of it, because
 * a token is sealed before its account has a row.
 */
export interface TokenAccount {
  company_id: string;
  phone_number_id: string;
}

/**
 * Encrypts an access token for the database. The header has the key's id (`kid`) and the account that the token
 * belongs to (`account`). Sealing one token twice gives two different texts.
 */
export async function sealToken(
  token: string,
  account: TokenAccount,
  key: Uint8Array,
): Promise<string> {
  return await seal(token, { account: nameOf(account) }, key);
}

/**
 * Encrypts a text for the database: a compact JWE (RFC 7516) with the key used directly and A256GCM. The header has
 * the key's id and whose the text is, and A256GCM authenticates the header too.
 */
export async function seal(
  text: string,
  owner: Record<string, string>,
  key: Uint8Array,
): Promise<string> {
  const kid = await credentialsKeyId(key);
  return await new jose.CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid, ...owner })
    .encrypt(key);
}

function nameOf({ company_id, phone_number_id }: TokenAccount): string {
  return `${company_id}/${phone_number_id}`;
}

/** Whether a sealed token names an account. Before this was so, tokens named none. */
export function namesAccount(sealed: string): boolean {
  return jose.decodeProtectedHeader(sealed).account !== undefined;
}

/** The id of the key that a sealed token names; undefined when it names none or is not a sealed token. */
export function keyIdOf(sealed: string): string | undefined {
  try {
    return jose.decodeProtectedHeader(sealed).kid;
  } catch {
    return undefined;
  }
}

/** A sealed token names a key that is not configured. */
export class UnknownCredentialsKey extends Error {
  override name = "UnknownCredentialsKey";
  constructor(readonly keyId: string) {
    super(
      `The token is sealed under the key ${keyId}, which is neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS`,
    );
  }
}

/** A sealed token belongs to another account than the one that it is stored for. */
export class TokenOfAnotherAccount extends Error {
  override name = "TokenOfAnotherAccount";
  /** @param sealedFor `<company id>/<phone_number_id>` */
  constructor(readonly sealedFor: string) {
    super(
      `The token is sealed for another account (${sealedFor}, which is <company id>/<phone_number_id>): ` +
        "the token or the ids of this account were changed in the database",
    );
  }
}

/**
 * Decrypts an access token that `sealToken` has sealed for this account, with the key that it names and no
 * other. Tokens of earlier versions name less: one that names no key is tried with each key, and one that
 * names no account opens for every account.
 *
 * @throws UnknownCredentialsKey when it names a key that is not among these; TokenOfAnotherAccount when it was
 *   sealed for another account; jose.errors.JOSEError when it was altered, or sealed in another way or under
 *   another key than it names.
 */
export async function openToken(
  sealed: string,
  account: TokenAccount,
  keys: CredentialsKeys,
): Promise<string> {
  const { plaintext, protectedHeader } = await decryptWithAny(sealed, keys);
  // A secret of an app names no account either, and is no token.
  const sealedFor = protectedHeader.account ?? protectedHeader.app;
  if (sealedFor !== undefined && sealedFor !== nameOf(account)) {
    throw new TokenOfAnotherAccount(String(sealedFor));
  }
  return new TextDecoder().decode(plaintext);
}

/**
 * Decrypts a sealed text with the key that it names; one that names none is tried with each key.
 * @throws UnknownCredentialsKey, jose.errors.JOSEError; see `openToken`.
 */
export async function decryptWithAny(
  sealed: string,
  keys: CredentialsKeys,
): Promise<jose.CompactDecryptResult> {
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

async function decrypt(sealed: string, key: Uint8Array): Promise<jose.CompactDecryptResult> {
  return await jose.compactDecrypt(sealed, key, {
    keyManagementAlgorithms: ["dir"],
    contentEncryptionAlgorithms: ["A256GCM"],
  });
}
