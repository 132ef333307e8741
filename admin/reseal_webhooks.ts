import type { CredentialsKeys } from "../supabase/functions/_shared/credentials/credentials_keys.ts";
import {
  openWebhookSecret,
  sealWebhookSecret,
} from "../supabase/functions/_shared/credentials/webhook_secrets.ts";
import type { Project } from "./project.ts";
import { type Counts, resealEach } from "./reseal_each.ts";

/** The result of re-encrypting the secrets of all webhooks. */
export interface WebhooksResealing extends Counts {
  /**
   * The secrets that cannot be decrypted with any key for their webhook. key_id is the id of the
   * key that encrypted the secret, if the secret contains this id.
   */
  unopened: { webhook_id: string; kind: string; key_id: string | null }[];
}

/** An encrypted secret of a webhook. */
interface SealedSecret {
  webhook_id: string;
  company_id: string;
  kind: string;
  sealed: string;
  /** When the secret ends; `infinity` for the current secret. */
  ends_at: string;
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
  const unopened: WebhooksResealing["unopened"] = [];
  const counts = await resealEach<SealedSecret>(keys, {
    page: async (after, max_rows) =>
      rows(
        await db.rpc("sealed_webhook_secrets", {
          after_id: after?.webhook_id,
          after_ends_at: after?.ends_at,
          max_rows,
        }),
      ),
    open: (secret) => openWebhookSecret(secret.sealed, secret, keys),
    reportUnopened: ({ webhook_id, kind }, key_id) => unopened.push({ webhook_id, kind, key_id }),
    seal: (text, secret) => sealWebhookSecret(text, secret, keys[0]),
    replace: async ({ webhook_id, sealed: sealed_before }, sealed) =>
      rows(await db.rpc("reseal_webhook_secret", { webhook_id, sealed_before, sealed })),
  });
  return { ...counts, unopened };
}
