import type { ChannelConfig } from "./channel_config.ts";
import { askChannel, type ChannelReply } from "./graph.ts";

/** A list of the channel could not be read whole, or is of no use now. The message is for operators and the log. */
export class ChannelTrouble extends Error {
  override name = "ChannelTrouble";
  /** @param reply the reply that was none; undefined when the list itself is at fault. */
  constructor(message: string, readonly reply?: Exclude<ChannelReply, { kind: "answered" }>) {
    super(message);
  }
}

interface List<Item> {
  path: string;
  query: Record<string, string>;
  /** What is listed, for the message: `the templates of business account 1`. */
  what: string;
  /** A list with more items is not read to its end. */
  maxItems: number;
  /** Reads an item as soon as its page is there, so that no more than a page is in memory as it was listed. */
  read(listed: unknown): Item;
}

/**
 * Reads a list to its end, in pages of 100. A page is found by the cursor of the page before: the address
 * that the channel gives for it holds the token.
 * @throws ChannelTrouble when a page fails, when the list has too many items, or when it repeats itself.
 */
export async function readList<Item>(
  channel: ChannelConfig,
  token: string,
  { path, query, what, maxItems, read }: List<Item>,
): Promise<Item[]> {
  const items: Item[] = [];
  const cursors = new Set<string>();
  for (let after: string | undefined;;) {
    const reply = await askChannel(channel, token, {
      path,
      query: { ...query, limit: "100", ...(after !== undefined && { after }) },
    });
    const { data, next } = pageOf(reply, what);
    for (const item of data) items.push(read(item));
    if (items.length > maxItems) {
      throw new ChannelTrouble(
        `The channel lists more than ${maxItems.toLocaleString("en")} of ${what}`,
      );
    }
    if (next === null) return items;
    // Without an end, the pages would also come to nothing when each is empty.
    if (cursors.has(next)) throw new ChannelTrouble(`The channel repeats a page of ${what}`);
    if (cursors.size >= maxItems) throw new ChannelTrouble(`The channel never ends ${what}`);
    cursors.add(after = next);
  }
}

/** The items of a page, and the cursor of the page after it; null when it is the last. */
function pageOf(reply: ChannelReply, what: string): { data: unknown[]; next: string | null } {
  if (reply.kind === "refused") {
    const { code, message } = reply.channel;
    throw new ChannelTrouble(`The channel refuses to list ${what} (${code}: ${message})`, reply);
  }
  if (reply.kind === "unavailable") {
    throw new ChannelTrouble(`The channel did not list ${what} (${reply.cause})`, reply);
  }
  const page = reply.body as Page | null;
  const data = page?.data;
  if (!Array.isArray(data)) {
    throw new ChannelTrouble(`The channel answered with no list of ${what}`);
  }
  if (!page?.paging?.next) return { data, next: null };
  const next = page.paging.cursors?.after;
  if (typeof next !== "string" || next === "") {
    throw new ChannelTrouble(`The channel does not say where the next page of ${what} begins`);
  }
  return { data, next };
}

/** The members that are read. Each may be missing. */
interface Page {
  data?: unknown;
  paging?: { next?: unknown; cursors?: { after?: unknown } | null } | null;
}
