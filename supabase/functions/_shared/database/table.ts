import type * as z from "zod/mini";
import { built } from "../lazily.ts";
import type { Database, Json } from "./types.ts";

type Tables = Database["public"]["Tables"];
type Views = Database["public"]["Views"];

type TableName = keyof Tables & string;
type ViewName = keyof Views & string;

/**
 * The type of a column in types.ts. The type is `string` if a check constraint limits a column to
 * certain values, and `Json` for an object or a list of objects.
 */
type Stored<Type> = Type extends string ? string
  : Type extends object[] ? NonNullable<Json>
  : Type extends (infer Item)[] ? Stored<Item>[]
  : Type extends object ? NonNullable<Json>
  : Type;

/**
 * The type of a column of a view. In types.ts, every column that the view computes may be null. The
 * table's column with the same name shows whether the value can really be null.
 */
type InView<Name extends TableName, View extends ViewName, Field> = Field extends
  keyof Views[View]["Row"] ? Field extends keyof Tables[Name]["Row"] ?
      | NonNullable<Views[View]["Row"][Field]>
      | Extract<Tables[Name]["Row"][Field], null>
  : Views[View]["Row"][Field]
  : never;

/** The fields that are not columns of the view, or that do not have the type of their column. */
type Misfits<Name extends TableName, View extends ViewName, Row> = {
  [Field in keyof Row]: [InView<Name, View, Field>] extends [never] ? Field
    : InView<Name, View, Field> extends Stored<Row[Field]> ? never
    : Field;
}[keyof Row];

/** Like `Misfits`, but null in types.ts is ignored. */
type JoinedMisfits<View extends ViewName, Row> = {
  [Field in keyof Row]: Field extends keyof Views[View]["Row"]
    ? NonNullable<Views[View]["Row"][Field]> extends Stored<NonNullable<Row[Field]>> ? never : Field
    : Field;
}[keyof Row];

/**
 * A table as callers see it. Reads use views that contain only the company's own rows. The columns
 * of a view have the names of the fields. A read selects all columns of a view, because the Data
 * API needs more time for each column that a request names.
 */
export interface Table<Row extends z.ZodMiniObject = z.ZodMiniObject> {
  name: TableName;
  /** The view that also has the columns for filtering and sorting rows. */
  view: ViewName;
  /** The view with only the fields, for reads that need no other column. */
  plainView: ViewName;
  /** The view for reads that find and sort rows only by these columns. */
  searched?: { view: ViewName; columns: string[] };
  /** The row's fields that callers see. */
  readonly row: Row;
}

/**
 * A table with a row schema: callers see the fields of the schema. The code does not compile if a
 * field of the schema has no column in the view, or a column of another type.
 */
export function table<
  Name extends TableName,
  Row extends z.ZodMiniObject,
  View extends ViewName,
>(
  name: Name,
  row:
    & z.ZodMiniLazy<Row>
    & ([Misfits<Name, View, z.output<Row>>] extends [never] ? unknown : {
      "these fields do not fit the view": Misfits<Name, View, z.output<Row>>;
    }),
  view: View,
  plainView: ViewName = view,
  searched?: Table["searched"],
): Table<Row> {
  return withLazyRow({ name, view, plainView, searched }, row);
}

/**
 * A table with a view that also has columns of other tables. In types.ts, each of these columns may
 * be null, so null is ignored when their types are compared with the schema.
 */
export function joinedTable<
  Name extends TableName,
  Row extends z.ZodMiniObject,
  View extends ViewName,
>(
  name: Name,
  row:
    & z.ZodMiniLazy<Row>
    & ([JoinedMisfits<View, z.output<Row>>] extends [never] ? unknown : {
      "these fields do not fit the view": JoinedMisfits<View, z.output<Row>>;
    }),
  view: View,
  plainView: ViewName = view,
): Table<Row> {
  return withLazyRow({ name, view, plainView }, row);
}

function withLazyRow<Row extends z.ZodMiniObject>(
  names: Omit<Table, "row">,
  row: z.ZodMiniLazy<Row>,
): Table<Row> {
  return {
    ...names,
    get row() {
      return built(row) as Row;
    },
  };
}

/**
 * The view for a read that needs these columns.
 * @param embeds whether the read embeds other views. The Data API might not find the relationships
 * of `searched`, which reads its table twice.
 */
export function viewWith(
  { view, plainView, row, searched }: Table,
  columns: string[],
  embeds = false,
): ViewName {
  if (columns.every((column) => column in row.shape)) return plainView;
  const isSearch = !embeds && columns.every((column) => searched?.columns.includes(column));
  return isSearch ? searched!.view : view;
}
