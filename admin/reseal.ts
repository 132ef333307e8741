import {
  openToken,
  sealToken,
  type TokenAccount,
  TokenOfAnotherAccount,
} from "../supabase/functions/_shared/credentials/credentials.ts";
import type { CredentialsKeys } from "../supabase/functions/_shared/credentials/credentials_keys.ts";
import type { Project } from "./project.ts";
import { type Counts, resealEach } from "./reseal_each.ts";

/** The result of re-encrypting the tokens of all connected accounts. */
export interface Resealing extends Counts {
  /**
   * The accounts whose token cannot be decrypted with any key. key_id is the id of the key that
   * encrypted the token, if the token contains this id.
   */
  unopened: { id: string; key_id: string | null }[];
  /**
   * The accounts that have another account's token, which they cannot use. sealed_for is `<company
   * id>/<phone_number_id>` of the other account.
   */
  of_another_account: { id: string; sealed_for: string }[];
}

/** An account with its encrypted token. */
interface SealedToken extends TokenAccount {
  id: string;
  sealed: string;
}

/**
 * Re-encrypts every connected account's token for that account under the current key. Meanwhile,
 * accounts may be connected, disconnected and used to send.
 *
 * @throws OperatorError when the project cannot be reached or refuses a request.
 */
export async function resealTokens(
  { db, rows }: Project,
  keys: CredentialsKeys,
): Promise<Resealing> {
  const unopened: Resealing["unopened"] = [];
  const of_another_account: Resealing["of_another_account"] = [];
  const counts = await resealEach<SealedToken>(keys, {
    async page(after, max_rows) {
      const page = await db.rpc("sealed_account_tokens", { after_id: after?.id, max_rows });
      return rows(page).map(({ encrypted_token, ...account }) => ({
        ...account,
        sealed: encrypted_token,
      }));
    },
    open: (account) => openToken(account.sealed, account, keys),
    reportUnopened({ id }, key_id, error) {
      if (error instanceof TokenOfAnotherAccount) {
        of_another_account.push({ id, sealed_for: error.sealedFor });
      } else {
        unopened.push({ id, key_id });
      }
    },
    seal: (token, account) => sealToken(token, account, keys[0]),
    replace: async ({ id, sealed: sealed_before }, sealed) =>
      rows(await db.rpc("reseal_account_token", { account_id: id, sealed_before, sealed })),
  });
  return { ...counts, unopened, of_another_account };
}
