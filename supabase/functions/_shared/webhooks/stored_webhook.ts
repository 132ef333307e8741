import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import type { CredentialsKeys } from "../credentials/credentials_keys.ts";
import {
  openWebhookSecret,
  sealWebhookSecret,
  type SecretWebhook,
} from "../credentials/webhook_secrets.ts";
import { invalidRequest } from "../errors.ts";
import { type AddressRules, checkAddress, type Resolve } from "./address.ts";
import { newSecret } from "./signature.ts";
import type { Webhook } from "./webhook.ts";

// The work on a webhook that the database cannot do: checking its URL, and sealing its secret.

/** What the functions need to store webhooks. */
export interface WebhookConfig {
  /** The first key seals the secrets of webhooks. */
  credentialsKeys: CredentialsKeys;
  /** The rules for webhook URLs. */
  webhookAddresses: AddressRules & { resolve?: Resolve };
}

/**
 * The URL in the form that is stored: normalised by `URL`.
 *
 * @throws ApiError invalid_request, with the reason, when no events may be sent to the URL.
 */
export async function checkedAddress(
  url: string,
  { webhookAddresses }: WebhookConfig,
): Promise<string> {
  const problem = await checkAddress(url, webhookAddresses);
  if (problem) throw invalidRequest([{ field: "url", message: problem.message }]);
  return new URL(url).href;
}

/**
 * Checks the URL of a new webhook, and creates the webhook. A repeat of an earlier request receives
 * its webhook even if the host name no longer resolves. So if the URL is refused, the database
 * function is called with null, and decides whether the request is a repeat.
 *
 * @param create calls `create_webhook()`.
 * @throws the errors of `checkedAddress`.
 */
export async function withCheckedAddress<Row>(
  url: string,
  config: WebhookConfig,
  create: (url: string) => Promise<PostgrestSingleResponse<Row>>,
  { mayBeRepeat }: { mayBeRepeat: boolean },
): Promise<PostgrestSingleResponse<Row>> {
  let refusal: unknown;
  const checked = await checkedAddress(url, config).catch((error) => {
    if (!mayBeRepeat) throw error;
    refusal = error;
    return null;
  });
  const answer = await create(checked as string);
  if (refusal && answer.error?.message.startsWith("url ")) throw refusal;
  return answer;
}

/** A new secret for this webhook, as the database stores it. */
export async function newSealedSecret(
  webhook: SecretWebhook,
  { credentialsKeys: [key] }: WebhookConfig,
): Promise<string> {
  return await sealWebhookSecret(newSecret(), webhook, key);
}

/** What the database returns after it has stored a secret. */
interface Stored {
  replayed: boolean;
  /** Null when a repeat finds that the webhook has been deleted. */
  data: Webhook | null;
  sealed_secret: string | null;
}

/** The webhook with its secret; null when the webhook has been deleted. */
export async function withSecret(answer: unknown, { credentialsKeys }: WebhookConfig) {
  const { replayed, data, sealed_secret } = answer as Stored;
  if (!data || !sealed_secret) return { replayed, data: null };
  const secret = await openWebhookSecret(
    sealed_secret,
    { company_id: data.company_id, webhook_id: data.id },
    credentialsKeys,
  );
  return { replayed, data: { ...data, secret } };
}
