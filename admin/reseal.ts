import {
  credentialsKeyId,
  keyIdOf,
  openToken,
  sealToken,
  type TokenAccount,
  TokenOfAnotherAccount,
} from "../supabase/functions/_shared/credentials/credentials.ts";
import type { CredentialsKeys } from "../supabase/functions/_shared/credentials/credentials_keys.ts";
import type { Project } from "./project.ts";

/** The result of re-encrypting the tokens of all connected accounts. */
export interface Resealing {
  /** The number of tokens that were re-encrypted for their accounts under the current key. */
  resealed: number;
  /** The number of tokens that were already encrypted for their accounts under the current key. */
  already_current: number;
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

/**
 * The number of accounts in a request. With larger pages, more tokens would change after they are
 * read and before they are re-encrypted.
 */
const PAGE = 100;

/**
 * Re-encrypts every connected account's token for that account under the current key, one at a
 * time. Meanwhile, accounts may be connected, disconnected and used to send. After an interruption,
 * another call re-encrypts the remaining tokens.
 *
 * @throws OperatorError when the project cannot be reached or refuses a request.
 */
export async function resealTokens(
  project: Project,
  keys: CredentialsKeys,
): Promise<Resealing> {
  const { db, rows } = project;
  const [current] = keys;
  const currentId = await credentialsKeyId(current);
  const resealing: Resealing = {
    resealed: 0,
    already_current: 0,
    unopened: [],
    of_another_account: [],
  };
  let after_id: string | undefined;
  while (true) {
    const tokens = rows(await db.rpc("sealed_account_tokens", { after_id, max_rows: PAGE }));
    if (tokens.length === 0) return resealing;
    const accounts = await accountsOf(project, tokens.map(({ id }) => id));
    for (const { id, encrypted_token } of tokens) {
      const account = accounts.get(id);
      if (!account) continue; // the account was deleted after its token was read
      const key_id = keyIdOf(encrypted_token) ?? null;
      const token = await openToken(encrypted_token, account, keys).catch((error: unknown) =>
        error instanceof TokenOfAnotherAccount ? error : null
      );
      if (token === null) {
        resealing.unopened.push({ id, key_id });
      } else if (token instanceof TokenOfAnotherAccount) {
        resealing.of_another_account.push({ id, sealed_for: token.sealedFor });
      } else if (key_id === currentId) {
        resealing.already_current++;
      } else {
        const sealed = await sealToken(token, account, current);
        const isResealed = rows(
          await db.rpc("reseal_account_token", {
            account_id: id,
            sealed_before: encrypted_token,
            sealed,
          }),
        );
        // The account was connected again or disconnected after its token was read, so the token is
        // read again.
        if (!isResealed) break;
        resealing.resealed++;
      }
      after_id = id;
    }
  }
}

/**
 * Reads each account's company id and phone number id, because sealed_account_tokens() does not
 * return them.
 */
async function accountsOf(
  { db, rows }: Project,
  ids: string[],
): Promise<Map<string, TokenAccount>> {
  const accounts = rows(
    await db.from("messaging_accounts").select("id, company_id, phone_number_id").in("id", ids),
  );
  return new Map(accounts.map((account) => [account.id, account]));
}
