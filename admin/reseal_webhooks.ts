import {
  credentialsKeyId,
  keyIdOf,
} from "../supabase/functions/_shared/credentials/credentials.ts";
import type { CredentialsKeys } from "../supabase/functions/_shared/credentials/credentials_keys.ts";
import {
  openWebhookSecret,
  sealWebhookSecret,
} from "../supabase/functions/_shared/credentials/webhook_secrets.ts";
import type { Project } from "./project.ts";

/** The result of re-encrypting the secrets of all webhooks. */
export interface WebhooksResealing {
  resealed: number;
  already_current: number;
  /**
   * The secrets that cannot be decrypted with any key for their webhook. key_id is the id of the
   * key that encrypted the secret, if the secret contains this id.
   */
  unopened: { webhook_id: string; kind: string; key_id: string | null }[];
}

/**
 * Re-encrypts every secret of every webhook under the current key. Meanwhile, webhooks may be
 * created, rotated and deleted.
 * @throws OperatorError when the project cannot be reached or refuses a request.
 */
export async function resealWebhookSecrets(
  { db, rows }: Project,
  keys: CredentialsKeys,
): Promise<WebhooksResealing> {
  const [current] = keys;
  const currentId = await credentialsKeyId(current);
  const resealing: WebhooksResealing = { resealed: 0, already_current: 0, unopened: [] };
  const done = new Set<string>();
  // If a secret was changed after it was read, all secrets are read again.
  for (let changed = true; changed;) {
    changed = false;
    for (
      const { webhook_id, company_id, kind, sealed: sealed_before } of rows(
        await db.rpc("sealed_webhook_secrets"),
      )
    ) {
      const id = `${webhook_id}/${kind}`;
      if (done.has(id)) continue;
      const webhook = { company_id, webhook_id };
      const key_id = keyIdOf(sealed_before) ?? null;
      const secret = await openWebhookSecret(sealed_before, webhook, keys).catch(() => null);
      if (secret === null) {
        resealing.unopened.push({ webhook_id, kind, key_id });
      } else if (key_id === currentId) {
        resealing.already_current++;
      } else {
        const sealed = await sealWebhookSecret(secret, webhook, current);
        const isResealed = rows(
          await db.rpc("reseal_webhook_secret", { webhook_id, kind, sealed_before, sealed }),
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
