import type { ChannelError } from "../channel/outcome.ts";

interface TroubleFacts {
  /** Whether the sample's URL has expired, so that the template must be read again. */
  isExpired?: boolean;
  /** Whether the sample itself caused the trouble, so that another upload would fail too. */
  isPermanent?: boolean;
  /** Whether this caller began no upload, for example because an earlier upload failed. */
  isUntried?: boolean;
  /** The channel's error, if the channel refused the upload. */
  channel?: ChannelError;
  /** After how many seconds the channel may accept the upload, if the channel said so. */
  retryAfter?: number;
}

/**
 * A template's sample or a caller's media file could not be uploaded to the channel. The error
 * message contains no URL.
 */
export class MediaTrouble extends Error {
  override name = "MediaTrouble";
  readonly isExpired: boolean;
  readonly isPermanent: boolean;
  readonly isUntried: boolean;
  readonly channel?: ChannelError;
  readonly retryAfter?: number;
  /** The database's error, if the database could not record the failed upload. */
  unrecorded?: Error;

  constructor(
    message: string,
    {
      isExpired = false,
      isPermanent = false,
      isUntried = false,
      channel,
      retryAfter,
    }: TroubleFacts = {},
  ) {
    super(message);
    this.isExpired = isExpired;
    this.isPermanent = isPermanent;
    this.isUntried = isUntried;
    this.channel = channel;
    this.retryAfter = retryAfter;
  }
}
