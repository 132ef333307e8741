import { PAGE_BYTES } from "../../_shared/database/page_budget.ts";
import { RecentlyUsed } from "../../_shared/database/recently_used.ts";
import type { Caller } from "../../_shared/key/caller.ts";

// What the rows of a list weigh is not known before they are read. A company's next page of the list has rows of
// about the same size, so one that would pass the byte budget asks for fewer rows to begin with.

/** Some room, so that rows that are a little larger than the last ones still fit. */
const ASKED_BYTES = 0.9 * PAGE_BYTES;
/** More than this is a large page. 200 contacts without custom fields have about 100 KiB. */
const LARGE_BYTES = PAGE_BYTES / 4;
/** More lists than one instance answers at a time. */
const MAX_LISTS = 1_000;

/** The size of one list's rows, as the last page had them. */
interface RowSize {
  /** On average; 0 when no page has been read. */
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

  /** How many rows the next page has at most. @param limit that the caller asked for. */
  rowsUpTo(limit: number): number {
    const { bytes } = this.#row;
    return bytes === 0 ? limit : Math.max(1, Math.min(limit, Math.floor(ASKED_BYTES / bytes)));
  }

  /** Reads a page of so many rows; a large one in the turn of its caller. */
  async read<Answer>(rows: number, caller: Caller, page: () => Promise<Answer>): Promise<Answer> {
    const isLarge = rows * this.#row.bytes > LARGE_BYTES;
    return isLarge ? await caller.inTurn(page) : await page();
  }

  /** Learns from a page that has been read. */
  note(rows: number, bytes: number) {
    if (rows > 0) this.#row.bytes = bytes / rows;
  }
}
