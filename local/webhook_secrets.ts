import { readCredentialsKey } from "../supabase/functions/_shared/credentials/credentials_keys.ts";
import { openWebhookSecret } from "../supabase/functions/_shared/credentials/webhook_secrets.ts";
import type { SecretsOf } from "../sandbox/receiver/received.ts";
import type { Sql } from "./postgres/database.ts";

/**
 * Finds the secrets of the webhooks with a given URL, so that the sandbox can verify deliveries. An
 * external receiver gets its secret from the user who created the webhook.
 */
export function webhookSecrets(owner: Sql, credentialsKey: string): SecretsOf {
  const keys = [readCredentialsKey(credentialsKey)] as const;
  return async (url) => {
    const webhooks = await owner<
      { id: string; company_id: string; sealed: string[] }[]
    >`
      select id, company_id, sealed_secret || sealed_previous_secrets as sealed
      from webhooks where url = ${url} or starts_with(url, ${`${url}?`})
    `;
    if (webhooks.length === 0) return null;
    const opened = webhooks.flatMap(({ id, company_id, sealed }) =>
      sealed.map((each) =>
        openWebhookSecret(each, { company_id, webhook_id: id }, keys).catch(() => null)
      )
    );
    return (await Promise.all(opened)).filter((secret) => secret !== null);
  };
}
