import {
  type CredentialsKeys,
  keyIdOf,
  openToken,
  type TokenAccount,
  TokenOfAnotherAccount,
  UnknownCredentialsKey,
} from "./credentials.ts";

/** The stored access token of an account cannot be used. The message is a sentence for the operator. */
export class UnusableToken extends Error {
  override name = "UnusableToken";
  /** @param keyId the id of the key that the token names; undefined when it names none. */
  constructor(message: string, readonly keyId: string | undefined) {
    super(message);
  }
}

/**
 * The access token of a messaging account, ready for a header.
 * @throws UnusableToken when it cannot be opened, or cannot stand in a header.
 */
export async function accountToken(
  account: TokenAccount & { encrypted_token: string },
  keys: CredentialsKeys,
): Promise<string> {
  try {
    const token = await openToken(account.encrypted_token, account, keys);
    new Headers({ Authorization: `Bearer ${token}` }); // refuses what no header can have
    return token;
  } catch (error) {
    const keyId = keyIdOf(account.encrypted_token);
    throw new UnusableToken(whyUnusable(error as Error, keyId), keyId);
  }
}

/** The cause for the operator: the configured keys, the account, or what was changed in the database. */
function whyUnusable(error: Error, keyId: string | undefined): string {
  if (error instanceof UnknownCredentialsKey || error instanceof TokenOfAnotherAccount) {
    return error.message;
  }
  // The message of any other error could quote the token.
  return keyId === undefined
    ? `The stored token cannot be used (${error.name}); is CREDENTIALS_KEY the one that it was stored under?`
    : `The stored token cannot be used (${error.name}), although the key that it names is configured`;
}
