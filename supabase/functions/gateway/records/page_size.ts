import { PAGE_BYTES } from "../../_shared/database/page_budget.ts";
import { RecentlyUsed } from "../../_shared/database/recently_used.ts";
import type { Caller } from "../../_shared/key/caller.ts";

// The size of a list's rows is unknown until they are read. The next page of the same list and
// company probably has rows of a similar size. So if the next page would exceed the byte budget,
// fewer rows are read.

/**
 * This size is less than the budget, so that slightly larger rows than on the last page still fit.
 */
const ASKED_BYTES = 0.9 * PAGE_BYTES;
/**
 * A page of more bytes than this is a large page. 200 contacts without custom fields have about 100
 * KiB.
 */
const LARGE_BYTES = PAGE_BYTES / 4;
/** One instance never answers more lists than this at the same time. */
const MAX_LISTS = 1_000;

/** The size of one list's rows, as measured on the last page. */
interface RowSize {
  /** The average. The size is 0 until a page has been read. */
  bytes: number;
}

const sizes = new RecentlyUsed<RowSize>(MAX_LISTS);

/** The pages of one list of one company, in this instance. */
export class PageSize {
  readonly #row: RowSize;

  /** @param list names the company and the list. */
  constructor(list: string) {
    this.#row = sizes.get(list, () => ({ bytes: 0 }));
  }

  /** How many rows the next page may have. @param limit the limit that the caller asked for. */
  rowsUpTo(limit: number): number {
    const { bytes } = this.#row;
    return bytes === 0 ? limit : Math.max(1, Math.min(limit, Math.floor(ASKED_BYTES / bytes)));
  }

  /** Reads a page with this many rows. A large page is read when it is its caller's turn. */
  async read<Answer>(rows: number, caller: Caller, page: () => Promise<Answer>): Promise<Answer> {
    const isLarge = rows * this.#row.bytes > LARGE_BYTES;
    return isLarge ? await caller.inTurn(page) : await page();
  }

  /** Learns the row size from a page that was read. */
  note(rows: number, bytes: number) {
    if (rows > 0) this.#row.bytes = bytes / rows;
  }
}
