import type { GraphError } from "../channel/graph.ts";

/**
 * The sample of a template could not be uploaded to the channel. The message is a sentence without
 * addresses.
 */
export class MediaTrouble extends Error {
  override name = "MediaTrouble";
  /** Whether the sample's address has expired. The template must then be read again. */
  readonly isExpired: boolean;
  /** The channel's error, when it refused the upload. */
  readonly channel?: GraphError;

  constructor(
    message: string,
    { isExpired = false, channel }: { isExpired?: boolean; channel?: GraphError } = {},
  ) {
    super(message);
    this.isExpired = isExpired;
    this.channel = channel;
  }
}
