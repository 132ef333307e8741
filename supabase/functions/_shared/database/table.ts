import type * as z from "zod";
import type { Database, Json } from "./types.ts";

type Tables = Database["public"]["Tables"];
type ViewName = keyof Database["public"]["Views"] & string;

type TableName = keyof Tables & string;

/**
 * The type of a column in types.ts: string where a check allows certain values, Json for an object and for a
 * list of objects.
 */
type Stored<Type> = Type extends string ? string
  : Type extends object[] ? NonNullable<Json>
  : Type extends (infer Item)[] ? Stored<Item>[]
  : Type extends object ? NonNullable<Json>
  : Type;

/** The column of a field: the renamed one, or the column of the same name. */
type ColumnOf<Renamed, Field> = Field extends keyof Renamed ? Renamed[Field] : Field;

/** The type of a column in the view of a company's own rows: a version is a text there, and a number in its table. */
type InView<Field, Column> = Field extends "version" ? string : Column;

/** The fields that are not a column of the table, or whose column has another type. */
type Misfits<Name extends TableName, Row, Renamed> = {
  [Field in keyof Row]: ColumnOf<Renamed, Field> extends keyof Tables[Name]["Row"]
    ? InView<Field, Tables[Name]["Row"][ColumnOf<Renamed, Field>]> extends Stored<Row[Field]>
      ? never
    : Field
    : Field;
}[keyof Row];

/** A table as callers see it. */
export interface Table<Row extends z.ZodObject = z.ZodObject> {
  name: TableName;
  /** The view of a company's own rows, from which they are read. It has the columns of that part under their names. */
  view: ViewName;
  /** The part of one row that callers see. */
  row: Row;
  /** The columns of that part, for PostgREST's `select`. */
  columns: string;
  /** The column of a field, for `order` and filters. */
  columnOf(field: string): string;
  /** The column of a field as the field, for `select`. */
  columnAs(field: string): string;
}

/**
 * A table whose callers see the fields of a row schema. Does not compile when a field of the schema is not a
 * column of the table, or when the column has another type.
 *
 * @param view of a company's own rows of the table.
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
    & ([Misfits<Name, z.output<Row>, Renamed>] extends [never] ? unknown : {
      "these fields do not fit the table": Misfits<Name, z.output<Row>, Renamed>;
    }),
  view: ViewName,
  renamed?: Renamed,
): Table<Row> {
  const columnOf = (field: string) => renamed?.[field] ?? field;
  const columnAs = (field: string) =>
    columnOf(field) === field ? field : `${field}:${columnOf(field)}`;
  const columns = Object.keys((row as Row).shape).map(columnAs).join(",");
  return { name, view, row, columns, columnOf, columnAs };
}

/** A row that a write of its table returned, as the view has it: the version as text. */
export function asInView<Row extends { version: string }>(row: Row): Row {
  return { ...row, version: String(row.version) };
}
