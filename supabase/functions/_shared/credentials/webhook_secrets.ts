import { decryptNamed, seal } from "./credentials.ts";
import type { CredentialsKeys } from "./credentials_keys.ts";

/** The webhook that a secret belongs to. */
export interface SecretWebhook {
  company_id: string;
  webhook_id: string;
}

/**
 * Encrypts the secret of a webhook for the database, as `sealToken` encrypts a token. The property
 * `webhook` of the JWE header contains the ids of the company and the webhook.
 */
export async function sealWebhookSecret(
  secret: string,
  webhook: SecretWebhook,
  key: Uint8Array,
): Promise<string> {
  return await seal(secret, { webhook: nameOf(webhook) }, key);
}

function nameOf({ company_id, webhook_id }: SecretWebhook): string {
  return `${company_id}/${webhook_id}`;
}

/** A sealed secret belongs to another webhook, or is of another kind. */
export class SecretOfAnotherWebhook extends Error {
  override name = "SecretOfAnotherWebhook";
  constructor() {
    super("The secret is sealed for another webhook, so someone changed it in the database");
  }
}

/**
 * Decrypts a secret that `sealWebhookSecret` sealed for this webhook.
 *
 * @throws SecretOfAnotherWebhook; UnknownCredentialsKey when the secret names a key that is not in
 *   `keys`; jose.errors.JOSEError when the secret was altered, or sealed in another way.
 */
export async function openWebhookSecret(
  sealed: string,
  webhook: SecretWebhook,
  keys: CredentialsKeys,
): Promise<string> {
  const { plaintext, protectedHeader } = await decryptNamed(sealed, keys);
  if (protectedHeader.webhook !== nameOf(webhook)) throw new SecretOfAnotherWebhook();
  return new TextDecoder().decode(plaintext);
}
