import { ConfigError } from "../_shared/config.ts";
import type { Share } from "../_shared/fair_share.ts";
import {
  readSenderConfig,
  type SenderConfig,
} from "../_shared/template_sends/template_send_config.ts";
import { readAddressRules } from "../_shared/webhooks/address_rules.ts";
import type { WebhookConfig } from "../_shared/webhooks/stored_webhook.ts";

/**
 * The settings of the function `settings`. A test send needs the settings of template sends. The
 * first credentials key seals the secrets that a user enters.
 */
export interface SettingsConfig extends SenderConfig, WebhookConfig {
  /**
   * The project's secret key. It is used only to ask Supabase Auth to invite someone by email. If
   * the key is null, no email is sent, but the invitation is valid.
   */
  secretKey: string | null;
  /** The total time limit for all requests to the channel about one account. */
  checkMs: number;
  /** How many account checks one company may have in progress in an instance. */
  checkShare: Share;
}

/**
 * Reads the configuration once, when the function starts.
 * @throws ConfigError with a message for the operator's log.
 */
export async function readSettingsConfig(
  env: Record<string, string | undefined>,
): Promise<SettingsConfig> {
  return {
    ...await readSenderConfig(env),
    webhookAddresses: readAddressRules(env),
    secretKey: readSecretKey(env),
    // The settings page waits for a response for 20 seconds.
    checkMs: 12_000,
    checkShare: { atOnce: 2, waiting: 4, patienceMs: 2_000 },
  };
}

/** The secret key, as a hosted project, a local stack or an older project provides it. */
function readSecretKey(env: Record<string, string | undefined>): string | null {
  const { SUPABASE_SECRET_KEYS, SUPABASE_SECRET_KEY, SUPABASE_SERVICE_ROLE_KEY } = env;
  let named: unknown;
  try {
    named = JSON.parse(SUPABASE_SECRET_KEYS ?? "{}").default;
  } catch {
    throw new ConfigError("SUPABASE_SECRET_KEYS must be a JSON object; the platform sets it.");
  }
  const keys = [named, SUPABASE_SECRET_KEY, SUPABASE_SERVICE_ROLE_KEY];
  return keys.find((key): key is string => typeof key === "string" && key !== "") ?? null;
}
