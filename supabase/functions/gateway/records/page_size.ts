import { PAGE_BYTES } from "../../_shared/database/page_budget.ts";
import { RecentlyUsed } from "../../_shared/database/recently_used.ts";
import type { Caller } from "../../_shared/key/caller.ts";

// The size of a list's rows is unknown until they are read. The next page of the same list and
// company probably has rows of a similar size. If the next page would exceed the byte budget, fewer
// rows are read.

/**
 * The size that a page should have. It is less than the budget, so that a page still fits if its
 * rows are slightly larger than the rows of the last page.
 */
const ASKED_BYTES = 0.9 * PAGE_BYTES;
/**
 * A page with more bytes than this is a large page. A page with 200 contacts without custom fields
 * has about 100 KiB.
 */
const LARGE_BYTES = PAGE_BYTES / 4;
/** The maximum number of lists whose row size one instance remembers. */
const MAX_LISTS = 1_000;

/** The row size of one list, as measured on the last page. */
interface RowSize {
  /** The average row size. It is 0 until a page has been read. */
  bytes: number;
}

const sizes = new RecentlyUsed<RowSize>(MAX_LISTS);

/** The page size of one company's list, in this instance. */
export class PageSize {
  readonly #row: RowSize;

  /** @param list names the company and the list. */
  constructor(list: string) {
    this.#row = sizes.get(list, () => ({ bytes: 0 }));
  }

  /**
   * Returns the maximum number of rows for the next page.
   * @param limit the limit that the caller requested.
   */
  rowsUpTo(limit: number): number {
    const { bytes } = this.#row;
    return bytes === 0 ? limit : Math.max(1, Math.min(limit, Math.floor(ASKED_BYTES / bytes)));
  }

  /** Reads a page with this many rows. A large page waits for its caller's turn. */
  async read<Answer>(rows: number, caller: Caller, page: () => Promise<Answer>): Promise<Answer> {
    const isLarge = rows * this.#row.bytes > LARGE_BYTES;
    return isLarge ? await caller.inTurn(page) : await page();
  }

  /** Records the row size of a page that was read. */
  note(rows: number, bytes: number) {
    if (rows > 0) this.#row.bytes = bytes / rows;
  }
}
