import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { withinBudget } from "../../_shared/database/company_db.ts";
import { readRows } from "../../_shared/database/page_budget.ts";
import { rows } from "../../_shared/database/rows.ts";
import { invalidRequest } from "../../_shared/errors.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { amongArchived, archivedConditions } from "./archived.ts";
import { type Condition, meeting, quoted } from "./conditions.ts";
import { cursorsOf, type Start } from "./cursor.ts";
import { orThese } from "./found_besides.ts";
import type { ListQuery } from "./list_parameters.ts";
import { PageSize } from "./page_size.ts";
import { select, withIncludedInOrder } from "./projection.ts";
import type { Resource } from "./resource.ts";
import type { ListOrder } from "./sorting.ts";
import { rowsInTime } from "./too_expensive.ts";

type Row = Record<string, unknown>;

/** The methods of a supabase-js query that a page needs. */
interface Query extends PromiseLike<PostgrestSingleResponse<Row[]>> {
  order(column: string, options: { ascending: boolean; referencedTable?: string }): Query;
  limit(count: number): Query;
  gte(column: string, value: string | number): Query;
  lte(column: string, value: string | number): Query;
  filter(column: string, operator: string, operand: string): Query;
  or(filters: string): Query;
  setHeader(name: string, value: string): Query;
}

/** A list of records. */
export interface List {
  resource: Resource;
  /** What all its rows meet, whatever is asked of it. */
  within: Condition[];
  /** Records that meet the conditions besides; see `foundBesides`. */
  besides?: string[];
  /**
   * Judges the key or reads a row of the company, because an empty list does not prove that the key is valid.
   * @throws ApiError also for an empty list that must not be one.
   */
  whenEmpty(): Promise<void>;
}

/**
 * One page of a list: the body `{ data, pagination: { limit, has_more, next_cursor } }`, with the total when it is
 * asked for.
 *
 * A page continues after the values of the last row (keyset). Rows that come and go between two pages neither
 * hide nor repeat another row, and a late page costs as much as the first. A page of large rows ends before its
 * limit: at the byte budget of a page.
 *
 * @throws ApiError invalid_request for a cursor that is not of this list and query; query_too_expensive.
 */
export async function readPage(
  caller: Caller,
  { resource, within, besides = [], whenEmpty }: List,
  asked: ListQuery,
) {
  const { table } = resource;
  const { order, includesTotal, archived = "exclude" } = asked;
  const chosen = [...within, ...asked.conditions];
  const isAsUsual = archived === "exclude";
  const isStandard = chosen.length === 0 && order === resource.order && isAsUsual;
  const marks = [
    ...chosen.map((each) => JSON.stringify(each)),
    ...(isAsUsual ? [] : [`archived ${archived}`]),
  ];
  const cursors = cursorsOf(table.name, order, isStandard ? [] : [order.name, ...marks.sort()]);
  const conditions = [
    ...archivedConditions(resource, archived),
    ...orThese(resource, amongArchived(resource, archived, chosen), besides),
  ];
  const place = asked.cursor === undefined ? null : await cursors.read(asked.cursor);
  if (typeof place === "string") throw invalidRequest([{ field: "cursor", message: place }]);

  const columns = order.columns.map(({ column }) => column);
  const selection = select(resource, asked, columns);
  // PostgREST counts the rows behind the cursor only. So a first page counts them all, and its cursor carries the total.
  const countsHere = includesTotal && place === null;
  const all = caller.reader.from(table.view)
    .select(selection.columns, countsHere ? { count: "exact" } : {}) as unknown as Query;
  let query = withIncludedInOrder(meeting(all, conditions), resource, asked);
  for (const column of columns) query = query.order(column, { ascending: order.ascending });
  if (place) query = after(query, order, place.start);

  // By what makes rows large or small. By the very fields, each page could be the first of its kind.
  const kind = `${asked.fields ? "part" : "whole"} ${asked.include ?? ""}`;
  const size = new PageSize(`${caller.holder} ${table.name} ${kind}`);
  const limit = size.rowsUpTo(asked.limit);
  // One row more than the page: whether there is another page.
  const read = async () => await withinBudget(query.limit(limit + 1));
  const isUncounted = includesTotal && place !== null && place.total === undefined;
  const [answer, countedApart] = await Promise.all([
    size.read(limit, caller, read),
    isUncounted ? countRows(caller, resource, conditions) : undefined,
  ]);
  const found = foundRows(answer, asked);
  const { bytes, endedEarly } = readRows(answer);
  size.note(found.length, bytes);
  if (found.length === 0) await whenEmpty();
  const shown = found.slice(0, limit);
  const hasMore = found.length > limit || endedEarly;
  const last = shown.at(-1) as Record<string, string | number> | undefined;
  const total = countsHere ? answer.count ?? 0 : countedApart ?? place?.total;
  const pagination = {
    limit: asked.limit,
    has_more: hasMore,
    next_cursor: hasMore && last
      ? await cursors.write({ start: selection.keys.map((key) => last[key]), total })
      : null,
    ...(includesTotal && totalOf(total ?? 0)),
  };
  return { data: shown.map(selection.answer), pagination };
}

/** Counts the rows of a list, for a caller who asks for the total only after the first page. */
async function countRows(
  caller: Caller,
  { table }: Resource,
  conditions: Condition[],
): Promise<number> {
  const all = caller.reader.from(table.view)
    .select(table.columnOf("id"), { count: "exact" }) as unknown as Query;
  const answer = await meeting(all, conditions).limit(1);
  rowsInTime(answer, WITHOUT_TOTAL);
  return answer.count ?? 0;
}

const WITHOUT_TOTAL = "leave out include_total";

/** Above this, a total is only said to be at least this. */
const MAX_TOTAL = 100_000;

function totalOf(count: number) {
  return count > MAX_TOTAL
    ? { total: MAX_TOTAL, total_relation: "gte" as const }
    : { total: count, total_relation: "eq" as const };
}

/** @throws ApiError query_too_expensive when the caller's own filters, sort or total took too long. */
function foundRows(answer: PostgrestSingleResponse<Row[]>, asked: ListQuery): Row[] {
  return asked.isChosen ? rowsInTime(answer, adviceFor(asked)) : rows(answer);
}

function adviceFor({ conditions, includesTotal }: ListQuery): string {
  if (includesTotal) return WITHOUT_TOTAL;
  return conditions.length > 0
    ? "add a filter that few records meet, such as a range of created_at, or leave out sort"
    : "leave out sort, or add a filter";
}

/**
 * The rows after a start (x, y, z) in the columns a, b, c: a ≥ x and (a > x or (b ≥ y and (b > y or c > z))).
 * With a ≥ x on its own, Postgres can start in the index at x; a plain list of alternatives prevents that.
 */
function after(query: Query, { columns, ascending }: ListOrder, start: Start): Query {
  const operator = ascending ? "gt" : "lt";
  const operands = start.map(quoted);
  const beyond = (at: number) => `${columns[at].column}.${operator}.${operands[at]}`;
  const atOrBeyond = (at: number): string =>
    at === columns.length - 1
      ? beyond(at)
      : `and(${columns[at].column}.${operator}e.${operands[at]},or(${beyond(at)},${
        atOrBeyond(at + 1)
      }))`;
  const [{ column }] = columns;
  const from = ascending ? query.gte(column, start[0]) : query.lte(column, start[0]);
  return from.or(`${beyond(0)},${atOrBeyond(1)}`);
}
