import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { base64url } from "jose";
import * as z from "zod";
import { withinBudget } from "../database/company_db.ts";
import { readRows } from "../database/page_budget.ts";
import { rows } from "../database/rows.ts";
import type { Table } from "../database/table.ts";
import type { Caller } from "../key/caller.ts";
import { PageSize } from "./page_size.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/**
 * The order of a list. Its fields together are unique, so that two rows never change places between pages.
 * All ascend or all descend, so that one index serves the list from any row on.
 */
export interface ListOrder<Row extends z.ZodObject = z.ZodObject> {
  table: Table<Row>;
  fields: string[];
  ascending: boolean;
}

type Field<Row extends z.ZodObject> = keyof Row["shape"] & string;

/** The order by these fields, ascending. */
export function orderBy<Row extends z.ZodObject>(
  table: Table<Row>,
  ...fields: Field<Row>[]
): ListOrder<Row> {
  return { table, fields, ascending: true };
}

/** Newest first; rows with the same created_at are in descending order of their ids. */
export function newestFirst<Row extends z.ZodObject<{ created_at: z.ZodType; id: z.ZodType }>>(
  table: Table<Row>,
): ListOrder<Row> {
  return { table, fields: ["created_at", "id"], ascending: false };
}

/** A page starts after the row with these values of the order's fields. */
type Start = (string | number)[];

/** The query parameters that every list takes: `limit` and `cursor`. */
export function paging(order: ListOrder) {
  let shape: z.ZodType | undefined;
  return z.strictObject({
    limit: z.string()
      .refine(
        (value) => /^[1-9][0-9]{0,2}$/.test(value) && Number(value) <= MAX_LIMIT,
        `must be a whole number from 1 to ${MAX_LIMIT}`,
      )
      .transform(Number)
      .default(DEFAULT_LIMIT)
      .meta({ type: "integer", minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
    cursor: z.string().transform((cursor, context): Start => {
      const start = readCursor(shape ??= cursorShape(order), cursor);
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

/** The methods of a supabase-js query that a page needs. */
interface Query<Row> extends PromiseLike<PostgrestSingleResponse<Row[]>> {
  order(column: string, options: { ascending: boolean }): Query<Row>;
  limit(count: number): Query<Row>;
  gte(column: string, value: string | number): Query<Row>;
  lte(column: string, value: string | number): Query<Row>;
  or(filters: string): Query<Row>;
  setHeader(name: string, value: string): Query<Row>;
}

/**
 * One page of a list: the body `{ data, pagination: { limit, has_more, next_cursor } }`.
 *
 * A page continues after the values of the last row (keyset). Rows that come and go between two pages neither
 * hide nor repeat another row, and a late page costs as much as the first. A page of large rows ends before its
 * limit: at the byte budget of a page.
 *
 * @param whenEmpty judges the key or reads a row of the company, because an empty list does not prove that
 *   the key is valid.
 */
export async function readPage<Row extends object>(
  caller: Caller,
  query: Query<Row>,
  order: ListOrder,
  page: { limit: number; cursor?: Start },
  whenEmpty: () => Promise<void> = () => caller.judge(),
) {
  let ordered = query;
  const { table, fields, ascending } = order;
  for (const field of fields) ordered = ordered.order(table.columnOf(field), { ascending });
  if (page.cursor) ordered = after(ordered, order, page.cursor);

  const size = new PageSize(`${caller.holder} ${table.name}`);
  const limit = size.rowsUpTo(page.limit);
  // One row more than the page: whether there is another page.
  const read = async () => await withinBudget(ordered.limit(limit + 1));
  const answer = size.isLarge(limit) ? await caller.inTurn(read) : await read();
  const found = rows(answer);
  const { bytes, endedEarly } = readRows(answer);
  size.note(found.length, bytes);
  if (found.length === 0) await whenEmpty();
  const data = found.slice(0, limit);
  const hasMore = found.length > limit || endedEarly;
  const last = data.at(-1) as Record<string, string | number> | undefined;
  const pagination = {
    limit: page.limit,
    has_more: hasMore,
    next_cursor: hasMore && last ? writeCursor(order, fields.map((field) => last[field])) : null,
  };
  return { data, pagination };
}

/**
 * The rows after a start (x, y, z) in the columns a, b, c: a ≥ x and (a > x or (b ≥ y and (b > y or c > z))).
 * With a ≥ x on its own, Postgres can start in the index at x; a plain list of alternatives prevents that.
 */
function after<Row>(query: Query<Row>, order: ListOrder, start: Start): Query<Row> {
  const columns = order.fields.map(order.table.columnOf);
  const operator = order.ascending ? "gt" : "lt";
  const values = start.map(quoted);
  const beyond = (at: number) => `${columns[at]}.${operator}.${values[at]}`;
  const atOrBeyond = (at: number): string =>
    at === columns.length - 1
      ? beyond(at)
      : `and(${columns[at]}.${operator}e.${values[at]},or(${beyond(at)},${atOrBeyond(at + 1)}))`;
  const from = order.ascending ? query.gte(columns[0], start[0]) : query.lte(columns[0], start[0]);
  return from.or(`${beyond(0)},${atOrBeyond(1)}`);
}

/** A value within PostgREST's `or`, where a comma or a bracket would end it. */
function quoted(value: string | number): string {
  return `"${String(value).replace(/["\\]/g, "\\$&")}"`;
}

// A cursor holds values of the order's fields and nothing else. A caller who changes a cursor gets another
// place in the same list of the same company.

function writeCursor({ table }: ListOrder, values: Start): string {
  return base64url.encode(JSON.stringify([table.name, ...values]));
}

/** More than the cursor of any list has. The longest values are names of 512 characters, escaped as `\u0001`. */
const MAX_CURSOR_LENGTH = 5_000;

/** By the table's name, a list refuses the cursor of another list. */
function cursorShape({ table, fields }: ListOrder) {
  const values = fields.map((field) => {
    const schema: z.ZodType = table.row.shape[field];
    if (schema.meta()?.format !== "date-time") return schema;
    return schema.refine((time) => !TOO_FINE.test(String(time)));
  });
  return z.tuple([z.literal(table.name), ...values]);
}

/** A time with more decimals than the database keeps; it fails at more than a hundred. */
const TOO_FINE = /\.\d{7}/;

function readCursor(shape: z.ZodType, cursor: string): Start | null {
  if (cursor.length > MAX_CURSOR_LENGTH) return null;
  try {
    const json = new TextDecoder("utf-8", { fatal: true }).decode(base64url.decode(cursor));
    const [, ...start] = shape.parse(JSON.parse(json)) as [string, ...Start];
    return start;
  } catch {
    return null;
  }
}
