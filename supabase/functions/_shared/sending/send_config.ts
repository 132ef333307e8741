import { type Config, readConfig } from "../config.ts";
import type { Share } from "../fair_share.ts";
import { type ChannelConfig, readChannelConfig } from "../channel/channel_config.ts";
import { type CredentialsKeys, readCredentialsKeys } from "../credentials/credentials_keys.ts";
import type { SettlePatience } from "./settle.ts";

/** The settings that every send needs: the database, the channel and the keys of access tokens. */
export interface SendingConfig extends Config, SettlePatience {
  /** The keys that decrypt the access tokens of messaging accounts. */
  credentialsKeys: CredentialsKeys;
  whatsapp: ChannelConfig;
  /** How many sends of one company may be in progress at the same time. */
  sendShare: Share;
}

/**
 * Reads the settings that every send needs.
 * @throws ConfigError with a message for the operator's log.
 */
export async function readSendingConfig(
  env: Record<string, string | undefined>,
): Promise<SendingConfig> {
  return {
    ...await readConfig(env),
    credentialsKeys: readCredentialsKeys(env),
    whatsapp: readChannelConfig(env),
    // `atOnce` is greater than for statements, because a send that waits for the channel does not
    // use a database connection.
    sendShare: { atOnce: 20, waiting: 64, patienceMs: 5_000 },
    // These pauses and the call together are shorter than a lease, unless the database hangs. If
    // the lease ended before the outcome was recorded, a repeat would return `failed`, although the
    // channel may have accepted the message.
    settleRetriesMs: [200, 800, 2_000, 5_000, 10_000, 20_000],
    // An outage of a minute must not keep a claim until its lease ends, because the caller was told
    // to repeat the request.
    releaseRetriesMs: [200, 800, 2_000, 5_000, ...Array(7).fill(10_000)],
    settleWaitMs: 5_000,
  };
}
