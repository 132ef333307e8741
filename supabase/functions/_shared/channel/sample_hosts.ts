import type { ChannelConfig } from "./channel_config.ts";

/** The channel's own media hosts. */
const CHANNEL_MEDIA = /(^|\.)(whatsapp\.net|fbcdn\.net|fbsbx\.com)$/;

/** Whether a template's sample may be fetched from this address. */
export function isSampleAddress(url: URL, { sampleHosts }: ChannelConfig): boolean {
  if (url.username || url.password) return false;
  const isChannels = url.protocol === "https:" && url.port === "" &&
    CHANNEL_MEDIA.test(url.hostname);
  return isChannels || sampleHosts.includes(url.origin);
}

/**
 * The text, but each signed address ends before its "?", because the signature comes after the "?".
 */
export function withoutSignatures(text: string): string {
  if (!text.includes("?")) return text;
  // The query is optional in the pattern. Otherwise an address without a query would be read many
  // times.
  return text.replace(/(https?:\/\/[^\s?#"'<>]*)(\?[^\s"'<>]*)?/gi, (address, plain) => {
    const url = URL.canParse(address) ? new URL(address) : null;
    const isSigned = url && (CHANNEL_MEDIA.test(url.hostname) ||
      url.searchParams.has("oh") && url.searchParams.has("oe"));
    return isSigned ? plain : address;
  });
}
