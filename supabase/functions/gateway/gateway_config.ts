import { type ChannelConfig, readChannelConfig } from "../_shared/channel/channel_config.ts";
import { type Config, readConfig } from "../_shared/config.ts";
import { readCredentialsKeys } from "../_shared/credentials/credentials_keys.ts";
import type { Share } from "../_shared/fair_share.ts";
import type { MediaPatience } from "../_shared/media/open_medium.ts";
import { readAddressRules } from "../_shared/webhooks/address_rules.ts";
import type { WebhookConfig } from "../_shared/webhooks/stored_webhook.ts";

/**
 * The gateway's settings: for the database connection, for reading media files from the channel,
 * and for storing webhooks.
 */
export interface GatewayConfig extends Config, WebhookConfig {
  whatsapp: ChannelConfig;
  /**
   * The maximum number of media files that an instance reads at the same time, for one company and
   * for all companies together.
   */
  mediaShare: Share & { inAll: number };
  mediaPatience: MediaPatience;
}

/**
 * Reads the configuration once, when the function starts.
 * @throws ConfigError with a one-sentence message for the operator's log.
 */
export async function readGatewayConfig(
  env: Record<string, string | undefined>,
): Promise<GatewayConfig> {
  return {
    ...await readConfig(env),
    credentialsKeys: readCredentialsKeys(env),
    whatsapp: readChannelConfig(env),
    mediaShare: { atOnce: 3, inAll: 6, waiting: 64, patienceMs: 5_000 },
    // The platform ends a request that has no response after 150 s.
    mediaPatience: { firstByteMs: 20_000, wholeMs: 120_000 },
    webhookAddresses: readAddressRules(env),
  };
}
