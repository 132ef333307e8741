import {
  credentialsKeyId,
  type CredentialsKeys,
  keyIdOf,
  namesAccount,
  openToken,
  sealToken,
  type TokenAccount,
  TokenOfAnotherAccount,
} from "../supabase/functions/_shared/whatsapp/credentials.ts";
import type { Project } from "./project.ts";

/** The result of re-encrypting the tokens of all connected accounts. */
export interface Resealing {
  /** The number of tokens that were re-encrypted under the current key, for their accounts. */
  resealed: number;
  /** The number of tokens that the current key had encrypted for their accounts already. */
  already_current: number;
  /** The accounts whose token no key opens. key_id is the key that the token names, if it names one. */
  unopened: { id: string; key_id: string | null }[];
  /**
   * The accounts that have the token of another account, which they cannot use: `<company id>/<phone_number_id>`.
   */
  of_another_account: { id: string; sealed_for: string }[];
}

/** As many accounts as one request asks for. On larger pages, more tokens change before their turn. */
const PAGE = 100;

/**
 * Re-encrypts the token of every connected account under the current key and for its account, one account
 * after the other. Meanwhile accounts may be connected, disconnected and used to send. After an interruption,
 * another call does the rest.
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
      if (!account) continue; // It was deleted since its token was read.
      const key_id = keyIdOf(encrypted_token) ?? null;
      const token = await openToken(encrypted_token, account, keys).catch((error: unknown) =>
        error instanceof TokenOfAnotherAccount ? error : null
      );
      if (token === null) {
        resealing.unopened.push({ id, key_id });
      } else if (token instanceof TokenOfAnotherAccount) {
        resealing.of_another_account.push({ id, sealed_for: token.sealedFor });
      } else if (key_id === currentId && namesAccount(encrypted_token)) {
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
        // The account was connected again or disconnected since it was read, so it is read again.
        if (!isResealed) break;
        resealing.resealed++;
      }
      after_id = id;
    }
  }
}

/**
 * The accounts with these ids, which sealed_account_tokens() does not answer. If it did, this command would
 * seal for no account on a database that does not have that migration yet.
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
