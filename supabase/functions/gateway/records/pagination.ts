import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { ofLaterPage, withinBudget } from "../../_shared/database/company_db.ts";
import { readRows } from "../../_shared/database/page_budget.ts";
import { rows } from "../../_shared/database/rows.ts";
import { viewWith } from "../../_shared/database/table.ts";
import { invalidRequest } from "../../_shared/errors.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { amongArchived, archivedConditions } from "./archived.ts";
import { columnsOf, type Condition, inCompany, meeting, quoted } from "./conditions.ts";
import { cursorsOf, type Start } from "./cursor.ts";
import { type Besides, orThese } from "./found_besides.ts";
import type { ListQuery } from "./list_parameters.ts";
import { byReference } from "./found_through.ts";
import { PageSize } from "./page_size.ts";
import { select, withIncludedInOrder } from "./projection.ts";
import type { Resource } from "./resource.ts";
import { idOf, type ListOrder } from "./sorting.ts";
import { rowsInTime } from "./too_expensive.ts";

type Row = Record<string, unknown>;

/** The supabase-js query methods that a page needs. */
interface Query extends PromiseLike<PostgrestSingleResponse<Row[]>> {
  order(column: string, options: { ascending: boolean; referencedTable?: string }): Query;
  limit(count: number, options?: { referencedTable: string }): Query;
  gte(column: string, value: string | number): Query;
  lte(column: string, value: string | number): Query;
  filter(column: string, operator: string, operand: string): Query;
  or(filters: string): Query;
  setHeader(name: string, value: string): Query;
}

/** A list of records. */
export interface List {
  resource: Resource;
  /** Conditions that all rows of the list must match, in every request. */
  within: Condition[];
  /** The contacts whose records also match a condition; see `foundBesides`. */
  besides?: Besides;
  /**
   * An empty list does not prove that the API key is valid. This function therefore checks the key
   * or reads one of the company's rows.
   * @throws ApiError if the key is not valid, or if an empty list is an error.
   */
  whenEmpty(): Promise<void>;
}

/**
 * Returns one page of a list as the body `{ data, pagination: { limit, has_more, next_cursor } }`,
 * with the total if the caller requests it.
 *
 * A page starts after the sort values of the previous page's last row (keyset pagination). If rows
 * are added or deleted between two pages, no other row is skipped or repeated. A later page takes
 * no longer than the first page. If rows are large, a page ends at its byte budget, before its
 * limit.
 *
 * @throws ApiError `invalid_request` if the cursor belongs to another list or query.
 * @throws ApiError `query_too_expensive` if the query takes too long.
 */
export async function readPage(
  caller: Caller,
  { resource, within, besides = new Map(), whenEmpty }: List,
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
  const place = asked.cursor === undefined ? null : await cursors.read(asked.cursor);
  if (typeof place === "string") throw invalidRequest([{ field: "cursor", message: place }]);
  const tested = await byReference(caller, resource, orThese(resource, chosen, besides));
  const conditions = [
    ...archivedConditions(resource, archived),
    ...amongArchived(resource, archived, tested),
    ...inCompany(caller.companyId, chosen),
  ];

  const columns = order.columns.map(({ column }) => column);
  const selection = select(resource, asked, columns);
  const view = viewWith(table, [...columns, ...columnsOf(conditions)], Boolean(asked.include));
  // PostgREST counts only the rows after the cursor. The first page therefore counts all rows, and
  // its cursor contains the total for later pages.
  const countsHere = includesTotal && place === null;
  const all = caller.reader.from(view)
    .select(selection.columns, countsHere ? { count: "exact" } : {}) as unknown as Query;
  let query = withIncludedInOrder(meeting(all, conditions), resource, asked);
  for (const column of columns) query = query.order(column, { ascending: order.ascending });
  if (place) query = ofLaterPage(after(query, order, place.start));

  // Rows of the same kind have a similar size. The kind depends on whether `fields` is sent, but
  // not on the names in `fields`. Otherwise each new combination of names would have an unknown row
  // size.
  const kind = `${asked.fields ? "part" : "whole"} ${asked.include ?? ""}`;
  const size = new PageSize(`${caller.holder} ${table.name} ${kind}`);
  const limit = size.rowsUpTo(asked.limit);
  // The query reads one row more than a page has, to find out whether there is another page.
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
      ? await cursors.write({ start: columns.map((column) => last[column]), total })
      : null,
    ...(includesTotal && totalOf(total ?? 0)),
  };
  return { data: shown.map(selection.answer), pagination };
}

/** Counts all rows of a list, for a later page whose cursor contains no total. */
async function countRows(
  caller: Caller,
  { table, order }: Resource,
  conditions: Condition[],
): Promise<number> {
  const all = caller.reader.from(viewWith(table, columnsOf(conditions)))
    .select(idOf(order).column, { count: "exact" }) as unknown as Query;
  const answer = await meeting(all, conditions).limit(1);
  rowsInTime(answer, WITHOUT_TOTAL);
  return answer.count ?? 0;
}

const WITHOUT_TOTAL = "leave out include_total";

/** Above this number, a total is only a lower bound. */
const MAX_TOTAL = 100_000;

function totalOf(count: number) {
  return count > MAX_TOTAL
    ? { total: MAX_TOTAL, total_relation: "gte" as const }
    : { total: count, total_relation: "eq" as const };
}

/**
 * @throws ApiError `query_too_expensive` if the filters, the sort or the total that the caller
 * chose took too long.
 */
function foundRows(answer: PostgrestSingleResponse<Row[]>, asked: ListQuery): Row[] {
  return asked.isChosen ? rowsInTime(answer, adviceFor(asked)) : rows(answer);
}

function adviceFor({ conditions, includesTotal }: ListQuery): string {
  if (includesTotal) return WITHOUT_TOTAL;
  return conditions.length > 0
    ? "add a filter that matches few records, such as a range of created_at, or leave out sort"
    : "leave out sort, or add a filter";
}

/**
 * Limits a query to the rows after a start (x, y, z) in the columns a, b, c: a ≥ x and (a > x or (b
 * ≥ y and (b > y or c > z))). Because of the separate condition a ≥ x, Postgres can start an index
 * scan at x. A plain list of alternatives would not allow this.
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
