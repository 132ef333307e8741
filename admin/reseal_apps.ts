import {
  type AppSecretKind,
  openAppSecret,
  sealAppSecret,
} from "../supabase/functions/_shared/credentials/app_secrets.ts";
import {
  credentialsKeyId,
  keyIdOf,
} from "../supabase/functions/_shared/credentials/credentials.ts";
import type { CredentialsKeys } from "../supabase/functions/_shared/credentials/credentials_keys.ts";
import type { Project } from "./project.ts";

/** The result of re-encrypting the secrets of all apps. */
export interface AppsResealing {
  resealed: number;
  already_current: number;
  /**
   * The secrets that cannot be decrypted with any key for their app. key_id is the id of the key
   * that encrypted the secret, if the secret contains this id.
   */
  unopened: { app_key: string; kind: string; key_id: string | null }[];
}

/** During a rotation, the previous secret has the same type as the current secret. */
const kindOf = (kind: string): AppSecretKind => kind === "verify_token" ? kind : "secret";

/**
 * Re-encrypts every secret of every app under the current key. Meanwhile, apps may be created,
 * rotated and deleted.
 * @throws OperatorError when the project cannot be reached or refuses a request.
 */
export async function resealAppSecrets(
  { db, rows }: Project,
  keys: CredentialsKeys,
): Promise<AppsResealing> {
  const [current] = keys;
  const currentId = await credentialsKeyId(current);
  const resealing: AppsResealing = { resealed: 0, already_current: 0, unopened: [] };
  const done = new Set<string>();
  // If a secret was changed after it was read, all secrets are read again.
  for (let changed = true; changed;) {
    changed = false;
    for (
      const { app_key, kind, sealed: sealed_before } of rows(await db.rpc("sealed_app_secrets"))
    ) {
      const id = `${app_key}/${kind}`;
      if (done.has(id)) continue;
      const name = { app_key, kind: kindOf(kind) };
      const key_id = keyIdOf(sealed_before) ?? null;
      const secret = await openAppSecret(sealed_before, name, keys).catch(() => null);
      if (secret === null) {
        resealing.unopened.push({ app_key, kind, key_id });
      } else if (key_id === currentId) {
        resealing.already_current++;
      } else {
        const sealed = await sealAppSecret(secret, name, current);
        const isResealed = rows(
          await db.rpc("reseal_app_secret", { app_key, kind, sealed_before, sealed }),
        );
        if (!isResealed) {
          changed = true;
          continue;
        }
        resealing.resealed++;
      }
      done.add(id);
    }
  }
  return resealing;
}
