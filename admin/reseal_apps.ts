import {
  type AppSecretKind,
  openAppSecret,
  sealAppSecret,
} from "../supabase/functions/_shared/credentials/app_secrets.ts";
import type { CredentialsKeys } from "../supabase/functions/_shared/credentials/credentials_keys.ts";
import type { Project } from "./project.ts";
import { type Counts, resealEach } from "./reseal_each.ts";

/** The result of re-encrypting the secrets of all apps. */
export interface AppsResealing extends Counts {
  /**
   * The secrets that cannot be decrypted with any key for their app. key_id is the id of the key
   * that encrypted the secret, if the secret contains this id.
   */
  unopened: { app_key: string; kind: string; key_id: string | null }[];
}

/** An encrypted secret of an app. */
interface SealedSecret {
  app_key: string;
  kind: string;
  sealed: string;
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
  const unopened: AppsResealing["unopened"] = [];
  const nameOf = ({ app_key, kind }: SealedSecret) => ({
    app_key,
    kind: kindOf(kind),
  });
  const counts = await resealEach<SealedSecret>(keys, {
    page: async (after, max_rows) =>
      rows(
        await db.rpc("sealed_app_secrets", {
          after_key: after?.app_key,
          after_kind: after?.kind,
          max_rows,
        }),
      ),
    open: (secret) => openAppSecret(secret.sealed, nameOf(secret), keys),
    reportUnopened: ({ app_key, kind }, key_id) => unopened.push({ app_key, kind, key_id }),
    seal: (text, secret) => sealAppSecret(text, nameOf(secret), keys[0]),
    replace: async ({ app_key, kind, sealed: sealed_before }, sealed) =>
      rows(await db.rpc("reseal_app_secret", { app_key, kind, sealed_before, sealed })),
  });
  return { ...counts, unopened };
}
