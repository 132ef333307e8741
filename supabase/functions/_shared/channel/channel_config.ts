import { ConfigError } from "../config.ts";
import { isExposed, isThisMachine, serviceUrl, withoutSlash } from "../service_url.ts";

/**
 * The base URL and the timeout for calls to the channel, and the hosts that may serve media and
 * template samples.
 */
export interface ChannelConfig {
  /**
   * The URL with the version, without a trailing slash: `https://graph.facebook.com/v26.0`.
   */
  url: string;
  timeoutMs: number;
  /**
   * Origins (`https://files.example:8443`) that may serve media files and sample files of template
   * headers, in addition to the channel's own media hosts.
   */
  mediaHosts: readonly string[];
}

const GRAPH_API = "https://graph.facebook.com/v26.0";

/**
 * Reads the channel's URL from WHATSAPP_API_URL and its media hosts from WHATSAPP_MEDIA_HOSTS. Each
 * variable may be missing or empty.
 *
 * @throws ConfigError with a message for the operator.
 */
export function readChannelConfig(env: Record<string, string | undefined>): ChannelConfig {
  const url = readChannelUrl(env.WHATSAPP_API_URL || GRAPH_API);
  const mediaHosts = [new URL(url).origin, ...readMediaHosts(env.WHATSAPP_MEDIA_HOSTS || "")];
  return { url, timeoutMs: 20_000, mediaHosts: [...new Set(mediaHosts)] };
}

function readChannelUrl(text: string): string {
  const url = serviceUrl(text);
  if (!url) {
    throw new ConfigError(
      `WHATSAPP_API_URL must be the URL of the WhatsApp API with its version, such as ${GRAPH_API}.`,
    );
  }
  if (isExposed(url)) {
    throw new ConfigError(
      "WHATSAPP_API_URL must begin with https://, because each call carries the access token of an account; " +
        "http:// is only for this machine (localhost, 127.0.0.1, [::1]) and host.docker.internal.",
    );
  }
  return withoutSlash(url);
}

/** Converts a list of hosts to origins. Only a host on this machine may be used without TLS. */
function readMediaHosts(list: string): string[] {
  if (list.trim() === "") return [];
  return list.split(",").flatMap((entry) => {
    const host = entry.trim();
    const url = /^[^\s/?#@\\*]+$/.test(host) && URL.canParse(`https://${host}`)
      ? new URL(`https://${host}`)
      : null;
    if (!url) {
      throw new ConfigError(
        "WHATSAPP_MEDIA_HOSTS must be hosts with or without a port, separated by commas, such as " +
          "media.example.com,files.example.com:8443.",
      );
    }
    const http = new URL(`http://${host}`).origin;
    return isThisMachine(url.hostname) ? [url.origin, http] : [url.origin];
  });
}
