import { type Config, readConfig } from "../config.ts";
import type { Share } from "../fair_share.ts";
import { type ChannelConfig, readChannelConfig } from "../whatsapp/channel_config.ts";
import { type CredentialsKeys, readCredentialsKeys } from "../whatsapp/credentials.ts";
import type { SettlePatience } from "../whatsapp/settle.ts";

/** What every send needs: the database, the channel and the keys of access tokens. */
export interface SendingConfig extends Config, SettlePatience {
  /** They open the access tokens of messaging accounts. */
  credentialsKeys: CredentialsKeys;
  whatsapp: ChannelConfig;
  /** The share of one company in the sends that are under way at once. */
  sendShare: Share;
}

/**
 * Reads what every send needs.
 * @throws ConfigError with one sentence, for the operator's log.
 */
export async function readSendingConfig(
  env: Record<string, string | undefined>,
): Promise<SendingConfig> {
  return {
    ...await readConfig(env),
    credentialsKeys: readCredentialsKeys(env),
    whatsapp: readChannelConfig(env),
    // More than statements: while a send waits for the channel, it holds no connection of the database.
    sendShare: { atOnce: 20, waiting: 64, patienceMs: 5_000 },
    // Together with the call less than a lease, unless the database hangs. After the lease, a repeat answers
    // `failed`, which may be wrong.
    settleRetriesMs: [200, 800, 2_000, 5_000, 10_000, 20_000],
    settleWaitMs: 5_000,
  };
}
