import {
  credentialsKeyId,
  type CredentialsKeys,
  keyIdOf,
  openToken,
  sealToken,
} from "../supabase/functions/_shared/whatsapp/credentials.ts";
import type { Project } from "./target.ts";

/** What became of the tokens of all connected accounts. */
export interface Resealing {
  /** Sealed anew under the current key. */
  resealed: number;
  already_current: number;
  /** The accounts whose token none of the keys opens, and the id of the key that it names. */
  unopened: { id: string; key_id: string | null }[];
}

/** As many accounts as one request asks for. What is read early is more often outdated. */
const PAGE = 100;

/**
 * Seals the token of every connected account under the current key, one account after the other.
 * Accounts may be connected, disconnected and send meanwhile. Cut off anywhere, it is done by doing
 * it again.
 *
 * @throws OperatorError when there is no answer from the project, or when it is a refusal.
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
        // Connected anew or disconnected since it was read, so this account is read again.
        if (!isResealed) break;
        resealing.resealed++;
      }
      after_id = id;
    }
  }
}
