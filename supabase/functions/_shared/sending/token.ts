import { logFailure, type Origin } from "../log.ts";
import { accountToken, UnusableToken } from "../whatsapp/account_token.ts";
import type { Access } from "./claim.ts";
import type { SendingConfig } from "./config.ts";

/**
 * Does something with the access token of an account, which is readable only within.
 *
 * @throws UnusableToken when the token cannot be opened or cannot stand in a header, after logging the cause as
 *   `account_token_unusable`; what `work` throws.
 */
export async function withToken<Result>(
  { credentialsKeys }: Pick<SendingConfig, "credentialsKeys">,
  access: Access,
  origin: Origin,
  work: (token: string) => Promise<Result>,
): Promise<Result> {
  let token: string;
  try {
    token = await accountToken(access, credentialsKeys);
  } catch (error) {
    if (error instanceof UnusableToken) {
      const { account_id } = access;
      const facts = { account_id, key_id: error.keyId };
      logFailure(origin, "account_token_unusable", error.message, facts);
    }
    throw error;
  }
  return await work(token);
}
