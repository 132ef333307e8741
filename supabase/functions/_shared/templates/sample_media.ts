import type { ChannelConfig } from "../channel/channel_config.ts";
import { MediaTrouble } from "./media_trouble.ts";
import { uploadFile } from "./media_upload.ts";
import { openSample, type Sample } from "./sample.ts";

/**
 * Uploads the sample of a template's media header to the channel, as media of the sending phone
 * number. The function reads and uploads at the same time. Only the channel receives the token. The
 * call may be repeated.
 *
 * @param signal aborts both connections.
 * @returns the media id, which is valid for 30 days, and the file's name; only a document has a
 *   name.
 * @throws MediaTrouble when the sample cannot be fetched, is too large or of a wrong type, or when
 *   the channel does not accept the sample.
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
      throw new MediaTrouble("The sample could not be fetched and uploaded in time");
    }
    throw error;
  } finally {
    ending.abort();
  }
}
