import * as z from "zod/mini";
import { described, Id, isStorable, Timestamp } from "../../_shared/http/fields.ts";
import { notOneOf } from "../../_shared/http/suggestion.ts";

/** A column that sorts a list. The column has no nulls, so a page can start at any value. */
export interface SortColumn {
  column: string;
  /** The type of the column's values in a cursor. */
  value: z.core.$ZodType<string | number>;
}

/**
 * The order of a list. No two rows have the same values in all of these columns, so each row has a
 * definite position. All columns are ascending, or all are descending, so that one index can serve
 * every page of the list.
 */
export interface ListOrder {
  /** The value of the parameter `sort`, such as `-created_at`. */
  name: string;
  columns: SortColumn[];
  ascending: boolean;
}

/**
 * Matches a time with more decimals than the database stores. With more than a hundred decimals,
 * the database would return an error.
 */
const TOO_FINE = /\.\d{7}/;
const Time = z.union([
  z.literal("-infinity"),
  Timestamp.check(z.refine((time) => !TOO_FINE.test(String(time)))),
]);
/**
 * The maximum length of a string in a sort column. A template's name may have 512 characters. Other
 * names are sorted by their first 100 characters.
 */
const MAX_TEXT = 512;
const Text = z.string().check(z.refine((text) => text.length <= 2 * MAX_TEXT && isStorable(text)));

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
  return { column, value: z.number().check(z.gte(-1), z.lte(1e12)) };
}

export function byInteger(column: string): SortColumn {
  return { column, value: z.int32() };
}

/** Newest first. Rows with the same `created_at` are sorted by id in descending order. */
export function newestFirst(idColumn = "id"): ListOrder {
  const columns = [byTime("created_at"), byId(idColumn)];
  return { name: "-created_at", columns, ascending: false };
}

/**
 * Creates a list order that sorts by these columns, ascending.
 * @param name the name that the parameter `sort` uses for the first column.
 */
export function orderBy(name: string, ...columns: SortColumn[]): ListOrder {
  return { name, columns, ascending: true };
}

/** The last column of an order, which identifies a row. */
export function idOf({ columns }: ListOrder): SortColumn {
  return columns[columns.length - 1];
}

/** Returns the parameter `sort`, which is parsed into an order. */
export function sortParameter(
  sorts: Record<string, SortColumn>,
  standard: ListOrder,
  id: SortColumn,
): z.core.$ZodType<ListOrder | undefined, string | undefined> {
  const names = Object.keys(sorts).flatMap((name) => [name, `-${name}`]);
  // A value of `sort` names only one column, to which the id is added. So no value can name an
  // order with more columns.
  const isSort = standard.columns.length === 2;
  const sort = z.optional(
    z.pipe(
      z.string(),
      z.transform((given, context): ListOrder => {
        if (isSort && given === standard.name) return standard;
        const ascending = !given.startsWith("-");
        const field = ascending ? given : given.slice(1);
        if (Object.hasOwn(sorts, field)) {
          return { name: given, columns: [sorts[field], id], ascending };
        }
        const message = given.includes(",")
          ? `takes only one field, which is one of ${names.join(", ")}`
          : `must be ${notOneOf(given, names)}`;
        context.issues.push({ code: "custom", input: given, message });
        return z.NEVER;
      }),
    ).register(z.globalRegistry, { type: "string", enum: names }),
  );
  return isSort ? described(sort, { default: standard.name }) : sort;
}
