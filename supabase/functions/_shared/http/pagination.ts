import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import type { Context } from "hono";
import { base64url } from "jose";
import * as z from "zod";
import { type ApiEnv, judgeKey } from "../key/authenticate.ts";
import { rows } from "../database/company_db.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/**
 * The order of a list: columns that never change places between two pages of one walk, the last of
 * them unique. All ascend or all descend, which is what one index serves from any point on.
 */
export interface ListOrder {
  /** Goes into the cursor, so that one list's cursor is not taken for another's. */
  list: string;
  ascending: boolean;
  /** Each column with the values that a cursor may hold for it. */
  columns: Record<string, z.ZodType<string | number>>;
}

// As the database writes it, to the microsecond; Date would round it and skip rows.
const Timestamp = z.iso.datetime({ offset: true }).regex(/^(?!0000).*[+-](0\d|1[0-4]):[0-5]\d$/);

/** Newest first; rows made at the same moment by id. */
export function newestFirst(list: string): ListOrder {
  return { list, ascending: false, columns: { created_at: Timestamp, id: z.guid() } };
}

/** Where a page starts: after the row with these values, in the columns of the order. */
type Start = (string | number)[];

/** The query parameters that every list takes: `limit` and `cursor`. */
export function paging(order: ListOrder) {
  return z.strictObject({
    limit: z.string()
      .refine(
        (value) => /^[1-9][0-9]{0,2}$/.test(value) && Number(value) <= MAX_LIMIT,
        `must be a whole number from 1 to ${MAX_LIMIT}`,
      )
      .transform(Number)
      .default(DEFAULT_LIMIT),
    cursor: z.string().transform((cursor, context): Start => {
      const start = readCursor(order, cursor);
      if (start) return start;
      context.addIssue({
        code: "custom",
        message: "is not a cursor of this list; send next_cursor of the previous page unchanged, " +
          "or none to start at the first page",
      });
      return z.NEVER;
    }).optional(),
  });
}

type Row = Record<string, unknown>;

/** A query on a table as supabase-js builds it, as far as a page needs it. */
interface Query extends PromiseLike<PostgrestSingleResponse<Row[]>> {
  order(column: string, options: { ascending: boolean }): Query;
  limit(count: number): Query;
  gte(column: string, value: string | number): Query;
  lte(column: string, value: string | number): Query;
  or(filters: string): Query;
}

/**
 * Answers one page of a list: `{ data, pagination: { limit, has_more, next_cursor } }`.
 *
 * Pages are found by the values of the last row (keyset), so rows that come and go between two pages
 * neither hide nor repeat another row, and a late page costs what the first does.
 *
 * @param whenEmpty must see a row of the company or judge the key, since an empty list proves nothing.
 */
export async function respondWithPage(
  c: Context<ApiEnv>,
  query: Query,
  order: ListOrder,
  page: { limit: number; cursor?: Start },
  whenEmpty: () => Promise<void> = () => judgeKey(c),
): Promise<Response> {
  let ordered = query;
  const { ascending } = order;
  const columns = Object.keys(order.columns);
  for (const column of columns) ordered = ordered.order(column, { ascending });
  if (page.cursor) ordered = after(ordered, order, page.cursor);

  // One more than asked for tells whether there is another page.
  const found = rows(await ordered.limit(page.limit + 1));
  if (found.length === 0) await whenEmpty();
  const data = found.slice(0, page.limit);
  const hasMore = found.length > page.limit;
  const last = data.at(-1);
  const pagination = {
    limit: page.limit,
    has_more: hasMore,
    next_cursor: hasMore && last
      ? writeCursor(order, columns.map((column) => last[column] as string | number))
      : null,
  };
  return c.json({ data, pagination });
}

/**
 * Rows after a start, for columns a, b, c: a ≥ x and (a > x or (b ≥ y and (b > y or c > z))). Said so,
 * and not as a list of alternatives, an index can begin at x and the planner knows how much is left.
 */
function after(query: Query, order: ListOrder, start: Start): Query {
  const columns = Object.keys(order.columns);
  const operator = order.ascending ? "gt" : "lt";
  const beyond = (at: number) => `${columns[at]}.${operator}."${start[at]}"`;
  const atOrBeyond = (at: number): string =>
    at === columns.length - 1
      ? beyond(at)
      : `and(${columns[at]}.${operator}e."${start[at]}",or(${beyond(at)},${atOrBeyond(at + 1)}))`;
  const from = order.ascending ? query.gte(columns[0], start[0]) : query.lte(columns[0], start[0]);
  return from.or(`${beyond(0)},${atOrBeyond(1)}`);
}

// A cursor holds values of the order's columns and nothing else. Who changes one moves to another
// place in the same list of the same company; there is nothing else that it could reach.

function writeCursor({ list }: ListOrder, values: Start): string {
  return base64url.encode(JSON.stringify([list, ...values]));
}

function readCursor({ list, columns }: ListOrder, cursor: string): Start | null {
  try {
    const json = new TextDecoder("utf-8", { fatal: true }).decode(base64url.decode(cursor));
    const shape = [z.literal(list), ...Object.values(columns)] as [z.ZodType, ...z.ZodType[]];
    const [, ...start] = z.tuple(shape).parse(JSON.parse(json));
    return start as Start;
  } catch {
    return null;
  }
}
