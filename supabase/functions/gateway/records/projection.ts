import * as z from "zod/mini";
import { notOneOf } from "../../_shared/http/suggestion.ts";
import type { Archived } from "./archived.ts";
import { type Included, recordSchema, type Resource } from "./resource.ts";

// Determines which part of a record is returned: all fields or only the fields in the parameter
// `fields`, and the records that `include` adds.

/** The part of a record that a caller requests. */
export interface Projection {
  fields?: string[];
  include?: string[];
}

/** The parameter `fields`. */
export function fieldsParameter(resource: Resource) {
  return z.optional(namesOf(fieldsOf(resource)));
}

function fieldsOf(resource: Resource): string[] {
  return Object.keys(recordSchema(resource).shape);
}

/**
 * Returns the parameter `fields`, and the parameter `include` if the resource has related records.
 */
export function projectionParameters(resource: Resource) {
  const included = Object.keys(resource.includes ?? {});
  return {
    fields: fieldsParameter(resource),
    ...(included.length > 0 && { include: z.optional(namesOf(included)) }),
  };
}

function namesOf(names: string[]): z.core.$ZodType<string[], string> {
  return z.pipe(
    z.string(),
    z.transform((given, context) => {
      const asked = given.split(",");
      const unknown = asked.find((name) => !names.includes(name));
      if (unknown === undefined) return names.filter((name) => asked.includes(name));
      const message = unknown === ""
        ? `has an empty name; each must be one of ${names.join(", ")}`
        : `names ${told(unknown)}, which is not ${notOneOf(unknown, names)}`;
      context.issues.push({ code: "custom", input: given, message });
      return z.NEVER;
    }),
  ).register(z.globalRegistry, {
    type: "array",
    minItems: 1,
    items: { type: "string", enum: names },
  });
}

const MAX_TOLD = 64;

function told(name: string): string {
  return name.length > MAX_TOLD ? `${name.slice(0, MAX_TOLD)}…` : name;
}

type Row = Record<string, unknown>;

/**
 * The columns that a read request selects for a projection, and the function that converts a
 * selected row to the returned record.
 */
export interface Selection {
  /** The argument of PostgREST's `select`. */
  columns: string;
  answer(row: Row): Row;
}

/**
 * Returns the columns to select for a projection of a resource. Columns are named only for
 * `fields`, because the Data API needs more time for each column that a request names.
 * @param needed additional columns that are needed, such as the columns of a cursor.
 */
export function select(
  resource: Resource,
  { fields, include = [] }: Projection,
  needed: string[] = [],
): Selection {
  const { answered, includes = {} } = resource;
  const embedded = include.map((name) => `${name}:${includes[name].table.plainView}(*)`);
  // Fields that are computed from other fields need the whole row.
  const read = fields && !answered ? new Set([...fields, ...needed]) : ["*"];
  const columns = [...read, ...embedded].join(",");

  const recordOf = partOf(resource, fields);
  const answer = (row: Row): Row => {
    if (include.length === 0) return recordOf(row);
    const records = include.map((name) => [name, inOrder(row[name], includes[name])]);
    return { ...recordOf(row), ...Object.fromEntries(records) };
  };
  return { columns, answer };
}

/**
 * Returns a function that converts the rows of one response to whole records or to records with
 * only these fields. A row may have more columns than callers see.
 */
export function partOf({ table, answered }: Resource, fields?: string[]): (row: Row) => Row {
  const stored = Object.keys(table.row.shape);
  if (!answered) return only(fields ?? stored);
  const rowOf = only(stored);
  return (row) => {
    const whole: Row = answered.of(rowOf(row) as never);
    return fields ? membersOf(whole, fields) : whole;
  };
}

/**
 * Returns a function that keeps only these properties in each row of one response. All rows in a
 * response have the same properties, so only the first row is checked.
 */
function only(names: string[]): (row: Row) => Row {
  let hasOthers: boolean | undefined;
  return (row) => {
    hasOthers ??= Object.keys(row).join() !== names.join();
    return hasOthers ? membersOf(row, names) : row;
  };
}

function membersOf(row: Row, names: string[]): Row {
  const members: Row = {};
  for (const name of names) members[name] = row[name];
  return members;
}

/**
 * Returns embedded rows with their properties in the schema's order. PostgREST uses another order.
 */
function inOrder(found: unknown, { table, atMost }: Included): unknown {
  const names = Object.keys(table.row.shape);
  if (Array.isArray(found)) {
    const data = found.slice(0, atMost).map((row) => membersOf(row, names));
    return atMost ? { data, has_more: found.length > atMost } : data;
  }
  return found === null ? null : membersOf(found as Row, names);
}

/** The supabase-js query methods that sort embedded rows. */
interface Orderable<Query> {
  filter(column: string, operator: string, operand: string): Query;
  order(column: string, options: { ascending: boolean; referencedTable: string }): Query;
  limit(count: number, options: { referencedTable: string }): Query;
}

/**
 * Returns the query, with its embedded lists sorted. Archived records are left out of these lists
 * unless the caller asks for them.
 */
export function withIncludedInOrder<Query extends Orderable<Query>>(
  query: Query,
  { includes = {} }: Resource,
  { include = [], archived = "exclude" }: Projection & { archived?: Archived },
): Query {
  for (const name of include) {
    const { listedBy = [], atMost, leavesOutArchived } = includes[name];
    if (leavesOutArchived && archived === "exclude") {
      query = query.filter(`${name}.archived_at`, "is", "null");
    }
    for (const { column, ascending } of listedBy) {
      query = query.order(column, { ascending, referencedTable: name });
    }
    // The query reads one record more than the response contains, to find out whether there are
    // more records.
    if (atMost) query = query.limit(atMost + 1, { referencedTable: name });
  }
  return query;
}
