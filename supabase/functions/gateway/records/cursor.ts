import * as base64url from "jose/base64url";
import * as z from "zod/mini";
import type { ListOrder } from "./sorting.ts";

// A cursor contains a row's sort values, and a digest of the query that found the row. If a caller
// changes a cursor, the cursor points to another position in the same company's list, or is
// refused.

/** The values that the last row before a page has in the sort columns. */
export type Start = (string | number)[];

/**
 * Every list cursor has fewer characters than this limit. The longest values are names of 512
 * characters that are all escaped, such as `\u0001`.
 */
const MAX_LENGTH = 5_000;

/**
 * A position in a list, after a row. If the first page counted the list's rows, the position also
 * contains this total.
 */
export interface Place {
  start: Start;
  total?: number;
}

/** Writes and reads the cursors of one query of a list. */
export interface Cursors {
  write(place: Place): Promise<string>;
  /**
   * Returns a cursor's position. For an invalid cursor, returns an error message that completes a
   * sentence beginning with "cursor".
   */
  read(cursor: string): Promise<Place | string>;
}

const REMEDY = "send next_cursor of the previous page unchanged";
const OR_NONE = "or no cursor to start at the first page";
const NOT_OF_LIST = `is not a cursor of this list; ${REMEDY}, ${OR_NONE}`;
const OF_OTHER_QUERY =
  `belongs to a query with other filters or another sort; ${REMEDY}, with the same filters and sort, ${OR_NONE}`;

/**
 * Creates and reads a list's cursors.
 * @param list the name of the list.
 * @param query the other parameters that determine which rows the list contains.
 */
export function cursorsOf(
  list: string,
  { columns }: ListOrder,
  query: unknown[],
): Cursors {
  // If a list has no filters, its cursors contain no query digest. While a new release replaces an
  // old release, both releases can read such cursors, even if they compute different digests.
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
 * Identifies the query that found a row. A query digest is stored as a list, and no row value is a
 * list, so the two cannot be confused.
 */
type Mark = [digest: string];

function isMark(part: unknown): part is Mark {
  return Array.isArray(part);
}

/** This length is enough to distinguish queries. A forged digest only leads to another position. */
const MARK_LENGTH = 12;

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return base64url.encode(new Uint8Array(bytes)).slice(0, MARK_LENGTH);
}
