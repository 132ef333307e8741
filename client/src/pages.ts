import { type Answer, APIPromise } from "./answer.ts";

/** The `pagination` object of a page. */
export interface PagePlace {
  limit: number;
  has_more: boolean;
  next_cursor: string | null;
  total?: number;
  total_relation?: "eq" | "gte";
}

/** One page of a list. */
export class Page<Item> {
  /** The records. */
  readonly data: Item[];
  /**
   * The page's `pagination` object from the response. It contains `total` if the query has
   * `include_total`.
   */
  readonly pagination: PagePlace;
  readonly #next: (cursor: string) => Promise<Page<Item>>;

  constructor(data: Item[], pagination: PagePlace, next: (cursor: string) => Promise<Page<Item>>) {
    this.data = data;
    this.pagination = pagination;
    this.#next = next;
  }
  /** Whether there is another page. */
  get hasMore(): boolean {
    return this.pagination.has_more;
  }
  /**
   * The cursor for the records after this page. A list of changes always has a cursor, which you
   * use to read later changes.
   */
  get nextCursor(): string | null {
    return this.pagination.next_cursor;
  }
  /** The next page. `null` after the last page. */
  async next(): Promise<Page<Item> | null> {
    const { has_more, next_cursor } = this.pagination;
    return has_more && next_cursor !== null ? await this.#next(next_cursor) : null;
  }
}

/**
 * A list. `await` returns the first page, and `for await` iterates over the records of all pages.
 * The client makes its first request only when you await the list or iterate over it.
 */
export class List<Item> extends APIPromise<Page<Item>> implements AsyncIterable<Item> {
  constructor(page: (cursor?: string) => Promise<Answer<Page<Item>>>) {
    let first: Promise<Answer<Page<Item>>> | undefined;
    super(() => first ??= page());
  }
  /** Iterates over all pages, one after the other. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for (let page: Page<Item> | null = await this; page; page = await page.next()) yield page;
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }
}
