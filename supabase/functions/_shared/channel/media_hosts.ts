import type { ChannelConfig } from "./channel_config.ts";

/** The channel's own media hosts. */
const CHANNEL_MEDIA = /(^|\.)(whatsapp\.net|fbcdn\.net|fbsbx\.com)$/;

/** Whether media files and template samples may be fetched from this URL. */
export function isMediaAddress(url: URL, { mediaHosts }: ChannelConfig): boolean {
  if (url.username || url.password) return false;
  const isChannels = url.protocol === "https:" && url.port === "" &&
    CHANNEL_MEDIA.test(url.hostname);
  return isChannels || mediaHosts.includes(url.origin);
}

/**
 * Whether a request to this URL may carry an account's access token, even after a redirect from
 * another host. Most of the channel's media hosts serve signed URLs, which need no token.
 */
export function mayGetToken(url: URL, { mediaHosts }: ChannelConfig): boolean {
  return /(^|\.)fbsbx\.com$/.test(url.hostname) || mediaHosts.includes(url.origin);
}

/** Cuts each signed URL in a string before its "?", because the signature comes after the "?". */
export function withoutSignatures(text: string): string {
  if (!text.includes("?")) return text;
  // The query is optional in the pattern. If the pattern required a query, it would backtrack
  // through every URL that has no query.
  return text.replace(/(https?:\/\/[^\s?#"'<>]*)(\?[^\s"'<>]*)?/gi, (address, plain) => {
    const url = URL.canParse(address) ? new URL(address) : null;
    const isSigned = url && (CHANNEL_MEDIA.test(url.hostname) ||
      url.searchParams.has("oh") && url.searchParams.has("oe"));
    return isSigned ? plain : address;
  });
}
