import type { ChannelConfig } from "./channel_config.ts";
export { MediaTrouble } from "./media_trouble.ts";

/** A media header's sample. */
export interface Sample {
  url: string;
  /** The format of the header. */
  format: "IMAGE" | "VIDEO" | "DOCUMENT";
  templateName: string;
}

export async function uploadSample(
  _channel: ChannelConfig,
  _account: { token: string; phoneNumberId: string },
  _sample: Sample,
  _signal: AbortSignal,
): Promise<{ mediaId: string; filename: string | null }> {
  return await Promise.resolve({ mediaId: "", filename: null });
}
