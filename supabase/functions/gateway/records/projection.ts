import * as z from "zod";
import { notOneOf } from "../../_shared/http/suggestion.ts";
import type { Archived } from "./archived.ts";
import { type Included, recordSchema, type Resource } from "./resource.ts";

// What of a record is answered: all of its fields or those that `fields` names, and the records that `include` adds.

/** The part of a record that a caller asks for. */
export interface Projection {
  fields?: string[];
  include?: string[];
}

/** The parameter `fields`. */
export function fieldsParameter(resource: Resource) {
  return namesOf(fieldsOf(resource)).optional();
}

function fieldsOf(resource: Resource): string[] {
  return Object.keys(recordSchema(resource).shape);
}

/** The parameters `fields`, and `include` where the resource has something to include. */
export function projectionParameters(resource: Resource) {
  const included = Object.keys(resource.includes ?? {});
  return {
    fields: fieldsParameter(resource),
    ...(included.length > 0 && { include: namesOf(included).optional() }),
  };
}

function namesOf(names: string[]): z.ZodType<string[], string> {
  return z.string().transform((given, context) => {
    const asked = given.split(",");
    const unknown = asked.find((name) => !names.includes(name));
    if (unknown === undefined) return names.filter((name) => asked.includes(name));
    const message = unknown === ""
      ? `has an empty name; each must be one of ${names.join(", ")}`
      : `names ${told(unknown)}, which is not ${notOneOf(unknown, names)}`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  }).meta({ type: "array", minItems: 1, items: { type: "string", enum: names } });
}

const MAX_TOLD = 64;

function told(name: string): string {
  return name.length > MAX_TOLD ? `${name.slice(0, MAX_TOLD)}…` : name;
}

type Row = Record<string, unknown>;

/** What is selected for a projection, and how a selected row becomes an answer. */
export interface Selection {
  /** For PostgREST's `select`. */
  columns: string;
  /** The members of a selected row that hold the values of the columns asked for with it. */
  keys: string[];
  answer(row: Row): Row;
}

/**
 * The selection of a projection of a resource.
 * @param needed columns whose values are needed besides, such as those of a cursor.
 */
export function select(resource: Resource, projection: Projection, needed: string[]): Selection {
  const { table, answered, includes = {} } = resource;
  const { fields, include = [] } = projection;
  // Fields that are made of others need the whole row.
  const read = answered || !fields ? Object.keys(table.row.shape) : fields;
  const fieldOf = (column: string) => read.find((field) => table.columnOf(field) === column);
  const keys = needed.map((column) => fieldOf(column) ?? column);
  const hidden = keys.filter((key) => !read.includes(key));
  const embedded = [
    ...include.map((name) => [name, includes[name].table] as const),
    ...Object.entries(answered?.beside ?? {}),
  ].map(([name, { view, columns }]) => `${name}:${view}(${columns})`);
  const columns = [...read.map(table.columnAs), ...hidden, ...embedded].join(",");

  const hasOthers = hidden.length > 0 || include.length > 0;
  const recordOf = partOf(resource, fields ?? (hasOthers ? fieldsOf(resource) : undefined));
  const answer = (row: Row): Row => {
    if (include.length === 0) return recordOf(row);
    const records = include.map((name) => [name, inOrder(row[name], includes[name])]);
    return { ...recordOf(row), ...Object.fromEntries(records) };
  };
  return { columns, keys, answer };
}

/** How a row of a resource is answered: with these fields, or as a whole. */
export function partOf({ answered }: Resource, fields?: string[]): (row: Row) => Row {
  return (row) => {
    const whole: Row = answered ? answered.of(row as never) : row;
    return fields ? membersOf(whole, fields) : whole;
  };
}

function membersOf(row: Row, names: string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

/** PostgREST answers the members of an embedded row in an order of its own. */
function inOrder(found: unknown, { table }: Included): unknown {
  const names = Object.keys(table.row.shape);
  if (Array.isArray(found)) return found.map((row) => membersOf(row, names));
  return found === null ? null : membersOf(found as Row, names);
}

/** A query of supabase-js, as far as the order of embedded rows needs it. */
interface Orderable<Query> {
  filter(column: string, operator: string, operand: string): Query;
  order(column: string, options: { ascending: boolean; referencedTable: string }): Query;
}

/** The query, with its embedded lists in their order, and without the archived records that it does not ask for. */
export function withIncludedInOrder<Query extends Orderable<Query>>(
  query: Query,
  { includes = {} }: Resource,
  { include = [], archived = "exclude" }: Projection & { archived?: Archived },
): Query {
  for (const name of include) {
    const { listedBy = [], leavesOutArchived } = includes[name];
    if (leavesOutArchived && archived === "exclude") {
      query = query.filter(`${name}.archived_at`, "is", "null");
    }
    for (const { column, ascending } of listedBy) {
      query = query.order(column, { ascending, referencedTable: name });
    }
  }
  return query;
}
