import type { ChannelConfig } from "./channel_config.ts";
import { MediaTrouble } from "./media_trouble.ts";
import { uploadFile } from "./media_upload.ts";
import { openSample, type Sample } from "./sample.ts";

/**
 * Brings the sample of a template's media header to the channel, as a media of the phone number that sends it:
 * reads it and uploads it at the same time. The token goes to the channel only. It may be repeated.
 *
 * @param signal ends both connections.
 * @returns the media id, which lives for 30 days, and the file's name; only a document has one.
 * @throws MediaTrouble when the sample cannot be had, is too large or of a wrong type, and when the channel
 *   does not take it.
 */
export async function uploadSample(
  channel: ChannelConfig,
  account: { token: string; phoneNumberId: string },
  sample: Sample,
  signal: AbortSignal,
): Promise<{ mediaId: string; filename: string | null }> {
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  try {
    const file = await openSample(channel, sample, either);
    const mediaId = await uploadFile(channel, account, file, either);
    return { mediaId, filename: sample.format === "DOCUMENT" ? file.filename : null };
  } catch (error) {
    if (signal.aborted) {
      throw new MediaTrouble("The sample was not fetched and uploaded in the time that there was");
    }
    throw error;
  } finally {
    ending.abort();
  }
}
