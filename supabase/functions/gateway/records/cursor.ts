import * as base64url from "jose/base64url";
import * as z from "zod/mini";
import type { ListOrder } from "./sorting.ts";

// A cursor contains the sort values of a row, and a digest of the query that found it. If a caller
// changes a cursor, it leads to another place in the same list of the same company, or is refused.

/** The values of the order's columns in the row before a page. */
export type Start = (string | number)[];

/**
 * The cursor of every list is shorter than this many characters. The longest values are names of
 * 512 characters that are all escaped, such as `\u0001`.
 */
const MAX_LENGTH = 5_000;

/**
 * A place in a list, after a row. If the first page counted the rows of the list, the place has
 * that total too.
 */
export interface Place {
  start: Start;
  total?: number;
}

/** Writes and reads the cursors of one query of a list. */
export interface Cursors {
  write(place: Place): Promise<string>;
  /**
   * Returns the place of a cursor. For a wrong cursor, returns the error, in words that follow
   * "cursor".
   */
  read(cursor: string): Promise<Place | string>;
}

const REMEDY = "send next_cursor of the previous page unchanged";
const OR_NONE = "or no cursor to start at the first page";
const NOT_OF_LIST = `is not a cursor of this list; ${REMEDY}, ${OR_NONE}`;
const OF_OTHER_QUERY =
  `belongs to a query with other filters or another sort; ${REMEDY}, with the same filters and sort, ${OR_NONE}`;

/**
 * The cursors of a list.
 * @param list its name.
 * @param query the other parameters that decide which rows the list has.
 */
export function cursorsOf(
  list: string,
  { columns }: ListOrder,
  query: unknown[],
): Cursors {
  // The cursors of a list without filters have no mark. So while one release replaces another, each
  // can read the other's cursors.
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
      const isPlace = columns.every(({ value }, at) => z.safeParse(value, start[at]).success) &&
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

/**
 * Identifies the query that found a row. A mark is a list, and no value of a row is a list, so the
 * two cannot be confused.
 */
type Mark = [digest: string];

function isMark(part: unknown): part is Mark {
  return Array.isArray(part);
}

/** This length is enough to distinguish queries. A forged mark only leads to another place. */
const MARK_LENGTH = 12;

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base64url.encode(new Uint8Array(bytes)).slice(0, MARK_LENGTH);
}
