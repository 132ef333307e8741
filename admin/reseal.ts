import {
  credentialsKeyId,
  type CredentialsKeys,
  keyIdOf,
  openToken,
  sealToken,
} from "../supabase/functions/_shared/whatsapp/credentials.ts";
import type { Project } from "./project.ts";

/** The result of re-encrypting the tokens of all connected accounts. */
export interface Resealing {
  /** The number of tokens that were re-encrypted under the current key. */
  resealed: number;
  /** The number of tokens that the current key encrypted already. */
  already_current: number;
  /** The accounts whose token no key opens. key_id is the key that the token names, if it names one. */
  unopened: { id: string; key_id: string | null }[];
}

/** As many accounts as one request asks for. On larger pages, more tokens change before their turn. */
const PAGE = 100;

/**
 * Re-encrypts the token of every connected account under the current key, one account after the other.
 * Meanwhile accounts may be connected, disconnected and used to send. After an interruption, another
 * call does the rest.
 *
 * @throws OperatorError when the project cannot be reached or refuses a request.
 */
export async function resealTokens(
  { db, rows }: Project,
  keys: CredentialsKeys,
): Promise<Resealing> {
  const [current] = keys;
  const currentId = await credentialsKeyId(current);
  const resealing: Resealing = { resealed: 0, already_current: 0, unopened: [] };
  let after_id: string | undefined;
  while (true) {
    const accounts = rows(await db.rpc("sealed_account_tokens", { after_id, max_rows: PAGE }));
    if (accounts.length === 0) return resealing;
    for (const { id, encrypted_token } of accounts) {
      const key_id = keyIdOf(encrypted_token) ?? null;
      const token = await openToken(encrypted_token, keys).catch(() => null);
      if (token === null) {
        resealing.unopened.push({ id, key_id });
      } else if (key_id === currentId) {
        resealing.already_current++;
      } else {
        const sealed = await sealToken(token, current);
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
