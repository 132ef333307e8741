import { type Config, ConfigError, readConfig } from "../_shared/config.ts";
import type { Share } from "../_shared/fair_share.ts";
import type { ChannelConfig } from "../_shared/whatsapp/channel.ts";
import type { SettlePatience } from "../_shared/whatsapp/settle.ts";
import { type CredentialsKeys, readCredentialsKeys } from "../_shared/whatsapp/credentials.ts";

/** What the template endpoint needs: the database, the channel and the keys of access tokens. */
export interface SenderConfig extends Config, SettlePatience {
  /** They open the access tokens of messaging accounts. */
  credentialsKeys: CredentialsKeys;
  whatsapp: ChannelConfig;
  /** The share of one company in the sends that are under way at once. */
  sendShare: Share;
}

const GRAPH_API = "https://graph.facebook.com/v26.0";

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
    whatsapp: { url: readChannelUrl(env.WHATSAPP_API_URL || GRAPH_API), timeoutMs: 20_000 },
    // More than statements: while a send waits for the channel, it holds no connection of the database.
    sendShare: { atOnce: 20, waiting: 64, patienceMs: 5_000 },
    // Together with the call less than a lease, unless the database hangs. After the lease, a repeat answers
    // `failed`, which may be wrong.
    settleRetriesMs: [200, 800, 2_000, 5_000, 10_000, 20_000],
    settleWaitMs: 5_000,
  };
}

function readChannelUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(
      `WHATSAPP_API_URL must be the URL of the WhatsApp API with its version, such as ${GRAPH_API}.`,
    );
  }
  if (url.protocol === "http:" && !isThisMachine(url.hostname)) {
    throw new ConfigError(
      "WHATSAPP_API_URL must begin with https://, because each call carries the access token of an account; " +
        "http:// is only for this machine (localhost, 127.0.0.1, [::1]) and host.docker.internal.",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** @param hostname of a parsed URL, which is in lower case and has numeric addresses in full. */
function isThisMachine(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$|^\[::1\]$|^(.+\.)?localhost$|^host\.docker\.internal$/.test(hostname);
}
