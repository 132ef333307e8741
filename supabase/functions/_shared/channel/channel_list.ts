import type { ChannelConfig } from "./channel_config.ts";
import { askChannel, type ChannelReply } from "./graph.ts";

/**
 * A list from the channel was not read completely or in time, or the account has meanwhile moved to
 * another business account. The error message is for operators and the log.
 */
export class ChannelTrouble extends Error {
  override name = "ChannelTrouble";
  /**
   * @param reply the channel's refusal or failure; undefined when the error has another cause.
   */
  constructor(message: string, readonly reply?: Exclude<ChannelReply, { kind: "answered" }>) {
    super(message);
  }
}

interface List<Item> {
  path: string;
  query: Record<string, string>;
  /** What the list contains, for error messages: `the templates of business account 1`. */
  what: string;
  /** The maximum number of items. Reading a longer list fails. */
  maxItems: number;
  /** Processes an item as soon as its page arrives, so that only one page is in memory. */
  read(listed: unknown): Item;
}

/**
 * Reads a whole list, in pages of 100. Each request uses the cursor from the previous page. The
 * channel's own URL of the next page is not used, because that URL contains the token.
 *
 * @throws ChannelTrouble when a request fails, the list has too many items, or the channel repeats
 *   a page.
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
    // Without these two checks, this function would read endless empty pages forever.
    if (cursors.has(next)) throw new ChannelTrouble(`The channel repeats a page of ${what}`);
    if (cursors.size >= maxItems) {
      throw new ChannelTrouble(`The channel lists ${what} without an end`);
    }
    cursors.add(after = next);
  }
}

/** The items of a page, and the cursor of the next page. The cursor is null on the last page. */
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

/** The properties that this code reads. Any of them may be missing. */
interface Page {
  data?: unknown;
  paging?: { next?: unknown; cursors?: { after?: unknown } | null } | null;
}
