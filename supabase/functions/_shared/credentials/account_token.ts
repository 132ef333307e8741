import {
  keyIdOf,
  openToken,
  type TokenAccount,
  TokenOfAnotherAccount,
  UnknownCredentialsKey,
} from "./credentials.ts";
import type { CredentialsKeys } from "./credentials_keys.ts";

/**
 * The stored access token of an account cannot be used. The error message is for the operator.
 */
export class UnusableToken extends Error {
  override name = "UnusableToken";
  /** @param keyId the key id in the token's header; undefined when the header has no key id. */
  constructor(message: string, readonly keyId: string | undefined) {
    super(message);
  }
}

/**
 * Decrypts the access token of a messaging account, for use in a header.
 *
 * @throws UnusableToken when the token cannot be decrypted, or has characters that a header cannot
 *   have.
 */
export async function accountToken(
  account: TokenAccount & { encrypted_token: string },
  keys: CredentialsKeys,
): Promise<string> {
  try {
    const token = await openToken(account.encrypted_token, account, keys);
    new Headers({ Authorization: `Bearer ${token}` }); // throws if a header cannot contain the token
    return token;
  } catch (error) {
    const keyId = keyIdOf(account.encrypted_token);
    throw new UnusableToken(whyUnusable(error as Error, keyId), keyId);
  }
}

/**
 * The message for the operator: which key is not configured, which account the token belongs to, or
 * only that the token cannot be decrypted.
 */
function whyUnusable(error: Error, keyId: string | undefined): string {
  if (error instanceof UnknownCredentialsKey || error instanceof TokenOfAnotherAccount) {
    return error.message;
  }
  // The message of an unknown error is not quoted, because it could contain the token.
  return keyId === undefined
    ? `The stored token cannot be used (${error.name}); check that CREDENTIALS_KEY is the key that encrypted it`
    : `The stored token cannot be used (${error.name}), although the key that it names is configured`;
}
