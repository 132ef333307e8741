import { logFailure, type Origin } from "../_shared/log.ts";
import {
  keyIdOf,
  openToken,
  TokenOfAnotherAccount,
  UnknownCredentialsKey,
} from "../_shared/whatsapp/credentials.ts";
import type { Access } from "./claim.ts";
import type { SenderConfig } from "./config.ts";

/** The stored access token of an account cannot be used. The message is for the operator. */
export class UnusableToken extends Error {
  override name = "UnusableToken";
}

/**
 * Does something with the access token of an account, which is readable only within.
 *
 * @throws UnusableToken when the token cannot be opened or cannot stand in a header, after logging the cause as
 *   `account_token_unusable`; what `work` throws.
 */
export async function withToken<Result>(
  { credentialsKeys }: SenderConfig,
  access: Access,
  origin: Origin,
  work: (token: string) => Promise<Result>,
): Promise<Result> {
  let token: string;
  try {
    token = await openToken(access.encrypted_token, access, credentialsKeys);
    new Headers({ Authorization: `Bearer ${token}` }); // refuses what no header can have
  } catch (error) {
    const key_id = keyIdOf(access.encrypted_token);
    const cause = whyUnusable(error as Error, key_id);
    const { account_id } = access;
    logFailure(origin, "account_token_unusable", cause, { account_id, key_id });
    throw new UnusableToken(cause);
  }
  return await work(token);
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
