import type { ChannelConfig } from "./channel_config.ts";

/** The channel's own hosts of media. */
const CHANNEL_MEDIA = /(^|\.)(whatsapp\.net|fbcdn\.net|fbsbx\.com)$/;

/** Whether the sample of a template may be fetched from this address. */
export function isSampleAddress(url: URL, { sampleHosts }: ChannelConfig): boolean {
  if (url.username || url.password) return false;
  const isChannels = url.protocol === "https:" && url.port === "" &&
    CHANNEL_MEDIA.test(url.hostname);
  return isChannels || sampleHosts.includes(url.origin);
}

/** A text whose signed addresses have lost their signature, which is what follows the "?". */
export function withoutSignatures(text: string): string {
  if (!text.includes("?")) return text;
  return text.replace(/(https?:\/\/[^\s?#"'<>]+)\?[^\s"'<>]*/gi, (address, plain) => {
    const url = URL.canParse(address) ? new URL(address) : null;
    const isSigned = url && (CHANNEL_MEDIA.test(url.hostname) ||
      url.searchParams.has("oh") && url.searchParams.has("oe"));
    return isSigned ? plain : address;
  });
}
