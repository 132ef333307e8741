import * as jose from "jose";
// `JWEInvalid` is imported separately, because `jose.errors` would add every error class of jose to
// the function's bundle.
import { JWEInvalid } from "jose/errors";
import type { CredentialsKeys } from "./credentials_keys.ts";

export {
  type CredentialsKeys,
  readCredentialsKey,
  readCredentialsKeys,
} from "./credentials_keys.ts";

/**
 * The id of a key: its JWK thumbprint (RFC 7638, SHA-256 in base64url). The key is random, so its
 * hash reveals nothing about the key (RFC 7638, section 7).
 */
export async function credentialsKeyId(key: Uint8Array): Promise<string> {
  return await jose.calculateJwkThumbprint({ kty: "oct", k: jose.base64url.encode(key) });
}

/**
 * A messaging account, identified by ids that do not change when the account is connected again.
 * The row's id is not used, because a token is sealed before its account has a row.
 */
export interface TokenAccount {
  company_id: string;
  phone_number_id: string;
}

/**
 * Encrypts an access token for the database. The JWE header contains the key's id (`kid`) and the
 * account that the token belongs to (`account`). Sealing the same token twice gives two different
 * strings.
 */
export async function sealToken(
  token: string,
  account: TokenAccount,
  key: Uint8Array,
): Promise<string> {
  return await seal(token, { account: nameOf(account) }, key);
}

/**
 * Encrypts a string for the database, as a compact JWE (RFC 7516) with the algorithms `dir` and
 * `A256GCM`. The header has the key's id and the string's owner. A256GCM authenticates the header
 * too.
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

/**
 * The id of the key in the header of a sealed string; undefined when the header has no key id or
 * the string is not sealed.
 */
export function keyIdOf(sealed: string): string | undefined {
  try {
    return jose.decodeProtectedHeader(sealed).kid;
  } catch {
    return undefined;
  }
}

/** A sealed token or secret names an encryption key that is not configured. */
export class UnknownCredentialsKey extends Error {
  override name = "UnknownCredentialsKey";
  constructor(readonly keyId: string) {
    super(
      `The stored token or secret is sealed under the key ${keyId}, which is neither CREDENTIALS_KEY nor CREDENTIALS_KEY_PREVIOUS`,
    );
  }
}

/** A sealed token is stored with one account, but belongs to another. */
export class TokenOfAnotherAccount extends Error {
  override name = "TokenOfAnotherAccount";
  /** @param sealedFor `<company id>/<phone_number_id>` */
  constructor(readonly sealedFor: string) {
    super(
      `The token is sealed for another account (${sealedFor}, which is <company ` +
        "id>/<phone_number_id>): someone changed the token or the ids of this account in the " +
        "database",
    );
  }
}

/**
 * Decrypts an access token that `sealToken` sealed for this account. Only the key that the token
 * names is tried.
 *
 * @throws UnknownCredentialsKey when the token names a key that is not in `keys`;
 *   TokenOfAnotherAccount when the token was sealed for another account; jose.errors.JOSEError when
 *   the token was altered, was sealed in another way, or names the wrong key.
 */
export async function openToken(
  sealed: string,
  account: TokenAccount,
  keys: CredentialsKeys,
): Promise<string> {
  const { plaintext, protectedHeader } = await decryptNamed(sealed, keys);
  // An app secret names no account, so it is not accepted as a token.
  const sealedFor = protectedHeader.account ?? protectedHeader.app;
  if (sealedFor !== nameOf(account)) throw new TokenOfAnotherAccount(String(sealedFor));
  return new TextDecoder().decode(plaintext);
}

/**
 * Decrypts a sealed string with the key that it names.
 *
 * @throws UnknownCredentialsKey, jose.errors.JOSEError; see `openToken`.
 */
export async function decryptNamed(
  sealed: string,
  keys: CredentialsKeys,
): Promise<jose.CompactDecryptResult> {
  const keyId = keyIdOf(sealed);
  if (keyId === undefined) throw new JWEInvalid("The text names no key");
  return await decrypt(sealed, await keyWithId(keyId, keys));
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
