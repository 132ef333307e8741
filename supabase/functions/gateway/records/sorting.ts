import * as z from "zod";
import { Id, isStorable, Timestamp } from "../../_shared/http/fields.ts";
import { notOneOf } from "../../_shared/http/suggestion.ts";

/** A column by which a list is ordered. It has no nulls, so that a page can start at any of its values. */
export interface SortColumn {
  column: string;
  /** A value of it in a cursor. */
  value: z.ZodType<string | number>;
}

/**
 * The order of a list. Its columns together are unique, so that two rows never change places between pages. All
 * ascend or all descend, so that one index serves the list from any row on.
 */
export interface ListOrder {
  /** As `sort` names it: `-created_at`. */
  name: string;
  columns: SortColumn[];
  ascending: boolean;
}

/** A time with more decimals than the database keeps; it fails at more than a hundred. */
const TOO_FINE = /\.\d{7}/;
const Time = z.union([
  z.literal("-infinity"),
  Timestamp.refine((time) => !TOO_FINE.test(String(time))),
]);
/** More than any sorted text has: a name is sorted by its first 100 characters. */
const MAX_TEXT = 512;
const Text = z.string().refine((text) => text.length <= 2 * MAX_TEXT && isStorable(text));

export function byId(column = "id"): SortColumn {
  return { column, value: Id };
}

export function byTime(column: string): SortColumn {
  return { column, value: Time };
}

export function byText(column: string): SortColumn {
  return { column, value: Text };
}

export function byAmount(column: string): SortColumn {
  return { column, value: z.number().min(-1).max(1e12) };
}

export function byInteger(column: string): SortColumn {
  return { column, value: z.int32() };
}

/** Newest first; rows with the same created_at are in descending order of their ids. */
export function newestFirst(idColumn = "id"): ListOrder {
  const columns = [byTime("created_at"), byId(idColumn)];
  return { name: "-created_at", columns, ascending: false };
}

/** Ascending by these columns. @param name of the first of them, as `sort` names it. */
export function orderBy(name: string, ...columns: SortColumn[]): ListOrder {
  return { name, columns, ascending: true };
}

/** The parameter `sort`, read as an order. */
export function sortParameter(
  sorts: Record<string, SortColumn>,
  standard: ListOrder,
  id: SortColumn,
): z.ZodType<ListOrder | undefined, string | undefined> {
  const names = Object.keys(sorts).flatMap((name) => [name, `-${name}`]);
  // An order with more columns in between is no sort, because the ties of a sort are in the order of their ids.
  const isSort = standard.columns.length === 2;
  const sort = z.string().transform((given, context): ListOrder => {
    if (isSort && given === standard.name) return standard;
    const ascending = !given.startsWith("-");
    const field = ascending ? given : given.slice(1);
    if (Object.hasOwn(sorts, field)) {
      return { name: given, columns: [sorts[field], id], ascending };
    }
    const message = given.includes(",")
      ? `takes one field only, which is one of ${names.join(", ")}`
      : `must be ${notOneOf(given, names)}`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  }).meta({ type: "string", enum: names }).optional();
  return isSort ? sort.meta({ default: standard.name }) : sort;
}
