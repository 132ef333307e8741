import type * as z from "zod";
import type { Database, Json } from "./types.ts";

type Tables = Database["public"]["Tables"];

type TableName = keyof Tables & string;

/** A type as the generated ones say it: any text where a check allows some words, and Json for an object. */
type Stored<Type> = Type extends string ? string
  : Type extends (infer Item)[] ? Stored<Item>[]
  : Type extends object ? NonNullable<Json>
  : Type;

/** The column of a field: of the same name, unless the table calls it something else. */
type ColumnOf<Renamed, Field> = Field extends keyof Renamed ? Renamed[Field] : Field;

/** Every field that is not a column of the table, or is one of another type. */
type Unfit<Name extends TableName, Row, Renamed> = {
  [Field in keyof Row]: ColumnOf<Renamed, Field> extends keyof Tables[Name]["Row"]
    ? Tables[Name]["Row"][ColumnOf<Renamed, Field>] extends Stored<Row[Field]> ? never : Field
    : Field;
}[keyof Row];

/** A table as callers see it. */
export interface Table<Row extends z.ZodObject = z.ZodObject> {
  name: string;
  /** What a caller sees of one row. */
  row: Row;
  /** The columns of that row, as PostgREST's `select` takes them. */
  columns: string;
  /** The column behind a field, as `order` and filters take it. */
  columnOf(field: string): string;
}

/**
 * A table, of which callers see what a row schema names. Does not compile when a field of the schema is not
 * a column of the table, or when the column's type is not the field's.
 *
 * @param renamed the columns whose fields have other names: `{ id: "user_id" }`.
 */
export function table<
  Name extends TableName,
  Row extends z.ZodObject,
  const Renamed extends Record<string, string> = Record<never, never>,
>(
  name: Name,
  row:
    & Row
    & ([Unfit<Name, z.output<Row>, Renamed>] extends [never] ? unknown : {
      "these fields do not fit the table": Unfit<Name, z.output<Row>, Renamed>;
    }),
  renamed?: Renamed,
): Table<Row> {
  const columnOf = (field: string) => renamed?.[field] ?? field;
  const columns = Object.keys((row as Row).shape)
    .map((field) => columnOf(field) === field ? field : `${field}:${columnOf(field)}`)
    .join(",");
  return { name, row, columns, columnOf };
}
