import type { ChannelError } from "../channel/outcome.ts";

/**
 * A template's sample or a caller's media file could not be uploaded to the channel. The error
 * message contains no URL.
 */
export class MediaTrouble extends Error {
  override name = "MediaTrouble";
  /** Whether the sample's URL has expired, so that the template must be read again. */
  readonly isExpired: boolean;
  /** The channel's error, if the channel refused the upload. */
  readonly channel?: ChannelError;
  /** The database's error, if the database could not record the failed upload. */
  unrecorded?: Error;

  constructor(
    message: string,
    { isExpired = false, channel }: { isExpired?: boolean; channel?: ChannelError } = {},
  ) {
    super(message);
    this.isExpired = isExpired;
    this.channel = channel;
  }
}
