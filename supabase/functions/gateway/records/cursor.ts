import { base64url } from "jose";
import type { ListOrder } from "./sorting.ts";

// A cursor holds the values of a row in the list's order, and by which query the row was found. A caller who changes
// a cursor gets another place in the same list of the same company, or is refused.

/** A page starts after the row with these values of the order's columns. */
export type Start = (string | number)[];

/** More than the cursor of any list has. The longest values are names of 512 characters, escaped as `\u0001`. */
const MAX_LENGTH = 5_000;

/** A place in a list: behind a row, and how many rows the list had on its first page, when that was counted. */
export interface Place {
  start: Start;
  total?: number;
}

/** Writes and reads the cursors of one query of a list. */
export interface Cursors {
  write(place: Place): Promise<string>;
  /** The place that a cursor stands for; else what is wrong with it, in words that follow "cursor". */
  read(cursor: string): Promise<Place | string>;
}

const REMEDY = "send next_cursor of the previous page unchanged";
const OR_NONE = "or none to start at the first page";
const NOT_OF_LIST = `is not a cursor of this list; ${REMEDY}, ${OR_NONE}`;
const OF_OTHER_QUERY =
  `belongs to a query with other filters or another sort; ${REMEDY}, with the same filters and sort, ${OR_NONE}`;

/**
 * The cursors of a list.
 * @param list its name.
 * @param query what else decides which rows it has.
 */
export function cursorsOf(
  list: string,
  { columns }: ListOrder,
  query: unknown[],
): Cursors {
  // A plain list needs no mark, and its cursors are those that the release before gives and takes: both serve a walk
  // while one replaces the other.
  const marksOf = async (): Promise<Mark[]> =>
    query.length === 0 ? [] : [[await digest(JSON.stringify(query))]];
  return {
    async write({ start, total }) {
      const parts = [list, ...await marksOf(), ...start, ...(total === undefined ? [] : [total])];
      return base64url.encode(JSON.stringify(parts));
    },
    async read(cursor) {
      const marks = await marksOf();
      const parts = cursor.length > MAX_LENGTH ? null : decoded(cursor);
      if (!Array.isArray(parts) || parts[0] !== list || parts.length === 1) return NOT_OF_LIST;
      if (isMark(parts[1]) ? parts[1][0] !== marks[0]?.[0] : marks.length > 0) {
        return OF_OTHER_QUERY;
      }
      const values = parts.slice(1 + marks.length);
      const [start, others] = [values.slice(0, columns.length), values.slice(columns.length)];
      const isPlace = columns.every(({ value }, at) => value.safeParse(start[at]).success) &&
        others.length <= 1 && others.every((total) => Number.isSafeInteger(total) && total >= 0);
      return isPlace ? { start, total: others[0] } : NOT_OF_LIST;
    },
  };
}

function decoded(cursor: string): unknown {
  try {
    return JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(base64url.decode(cursor)),
    );
  } catch {
    return null;
  }
}

/** By which query a row was found. A list, so that no value of a row is taken for it. */
type Mark = [digest: string];

function isMark(part: unknown): part is Mark {
  return Array.isArray(part);
}

/** Enough to tell queries apart. A forged mark gives nothing but another place. */
const MARK_LENGTH = 12;

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base64url.encode(new Uint8Array(bytes)).slice(0, MARK_LENGTH);
}
