import { logFrequentFailure, type Origin } from "../log.ts";
import { accountToken, UnusableToken } from "../credentials/account_token.ts";
import type { Access } from "./claim.ts";
import type { SendingConfig } from "./send_config.ts";

/**
 * Does work with the access token of an account. The token is readable only during this work.
 *
 * @throws UnusableToken when the token cannot be decrypted or has characters that a header cannot
 *   have; the errors of `work`. The cause of UnusableToken is logged as `account_token_unusable`,
 *   at most 10 times in ten seconds.
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
      const facts = { account_id: access.account_id, key_id: error.keyId };
      logFrequentFailure(origin, "account_token_unusable", error.message, facts);
    }
    throw error;
  }
  return await work(token);
}
