import type { ChannelConfig } from "./channel_config.ts";
import type { CatalogueEntry } from "./catalogue_entry.ts";
import type { ChannelReply } from "./graph.ts";

/** The catalogue could not be read whole. The message is for operators and the log. */
export class ChannelTrouble extends Error {
  override name = "ChannelTrouble";
  /** @param reply the reply that was none; undefined when the list itself is at fault. */
  constructor(message: string, readonly reply?: Exclude<ChannelReply, { kind: "answered" }>) {
    super(message);
  }
}

export async function readTemplates(
  _channel: ChannelConfig,
  _account: { token: string; businessAccountId: string },
  _name?: string,
): Promise<CatalogueEntry[]> {
  return await Promise.resolve([]);
}
