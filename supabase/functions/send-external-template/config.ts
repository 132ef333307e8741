import { type Config, readConfig } from "../_shared/config.ts";
import type { Share } from "../_shared/fair_share.ts";
import { type ChannelConfig, readChannelConfig } from "../_shared/whatsapp/channel_config.ts";
import type { MediaPatience } from "../_shared/whatsapp/template_media.ts";
import type { SettlePatience } from "../_shared/whatsapp/settle.ts";
import { type CredentialsKeys, readCredentialsKeys } from "../_shared/whatsapp/credentials.ts";

/** What the template endpoint needs: the database, the channel and the keys of access tokens. */
export interface SenderConfig extends Config, SettlePatience {
  /** They open the access tokens of messaging accounts. */
  credentialsKeys: CredentialsKeys;
  whatsapp: ChannelConfig;
  /** The share of one company in the sends that are under way at once. */
  sendShare: Share;
  /** How long a send waits for the media of its header, and how long no other upload of it begins. */
  mediaPatience: MediaPatience;
}

/**
 * Reads the configuration once, when the function starts.
 * @throws ConfigError with one sentence, for the operator's log.
 */
export async function readSenderConfig(
  env: Record<string, string | undefined>,
): Promise<SenderConfig> {
  return {
    ...await readConfig(env),
    credentialsKeys: readCredentialsKeys(env),
    whatsapp: readChannelConfig(env),
    // More than statements: while a send waits for the channel, it holds no connection of the database.
    sendShare: { atOnce: 20, waiting: 64, patienceMs: 5_000 },
    // The lease is longer than the upload, so that its end is recorded before another one begins.
    mediaPatience: { timeoutMs: 20_000, leaseSeconds: 30 },
    // Together with the call less than a lease, unless the database hangs. After the lease, a repeat answers
    // `failed`, which may be wrong.
    settleRetriesMs: [200, 800, 2_000, 5_000, 10_000, 20_000],
    settleWaitMs: 5_000,
  };
}
