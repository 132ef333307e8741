import * as z from "zod/mini";
import { Id } from "../../_shared/http/fields.ts";
import type { Table } from "../../_shared/database/table.ts";
import type { Filters } from "./filters.ts";
import type { PhoneColumns } from "./pasted_phone.ts";
import type { ListOrder, SortColumn } from "./sorting.ts";

/**
 * One kind of record and what callers can read of it, declared once. The operations that read the
 * record, their parameters, their checks and their description derive from this declaration.
 */
export interface Resource<
  Stored extends z.ZodMiniObject = z.ZodMiniObject,
  Answered extends z.ZodMiniObject = z.ZodMiniObject,
> {
  table: Table<Stored>;
  /** The singular name of a record, for example `Contact`. */
  name: string;
  /** How a row is returned. If this is missing, rows are returned as they are stored. */
  answered?: {
    schema: Answered;
    of(row: z.output<Stored>): z.output<Answered>;
  };
  /** The filters of each field. */
  filters: Filters;
  /** The columns with the folded texts that `q` searches. */
  words?: string[];
  /** The columns by which `q` finds a phone in any spelling. */
  phones?: PhoneColumns;
  /**
   * The column with a JSON object. The filter `<column>.<key>=` finds rows by the members of this
   * object.
   */
  members?: keyof Stored["shape"] & string;
  /**
   * The orders of a list, in either direction. Rows with equal values are in the order of their
   * ids.
   */
  sorts: Record<string, SortColumn>;
  /** The order of a list without `sort`. */
  order: ListOrder;
  /**
   * Present when records can be archived, so that a read leaves them out unless the caller asks for
   * them.
   */
  archives?: {
    /**
     * For each of these columns, the other column that has the value of an archived record: `{
     * phone_key: "…" }`.
     */
    keptIn?: Record<string, string>;
    /** The column with the time when a record was erased. */
    erasedIn?: string;
  };
  /**
   * Present when records can be merged: the function that returns the record into which a record
   * was merged.
   */
  survivor?: "survivor_of_contact";
  /**
   * Present when a contact can have further values of `column`, such as additional phones. The
   * function `by` finds contacts by these values, and the column `contact` has the contact of a
   * record.
   */
  besides?: { column: string; by: "contacts_of_further_phones"; contact: string };
  /**
   * Fields of another record to which this record refers. Callers can filter by these fields. Each
   * entry has the column of the reference, and the table that has the field.
   */
  through?: Record<string, { column: string; table: Table }>;
  /** The records that `include` adds, by the names of the members that contain them. */
  includes?: Record<string, Included>;
}

/** Records of another resource that belong to a record. */
export interface Included {
  table: Table;
  /**
   * If this is missing, the record has at most one such record. Otherwise the record has a list in
   * this order.
   */
  listedBy?: { column: string; ascending: boolean }[];
  /**
   * The maximum number of records in the list. If this is missing, the list is whole. Otherwise the
   * answer says whether there are more: `{ data, has_more }`.
   */
  atMost?: number;
  /** Whether a read leaves out archived records unless the caller asks for them. */
  leavesOutArchived?: boolean;
}

/** A resource, with the types of its rows. */
export function resource<
  Stored extends z.ZodMiniObject,
  Answered extends z.ZodMiniObject = Stored,
>(declared: Resource<Stored, Answered>): Resource<Stored, Answered> {
  return declared;
}

/** The schema of a record as it is returned. */
export function recordSchema({ table, answered }: Resource): z.ZodMiniObject {
  return answered?.schema ?? table.row;
}

/**
 * The schema of a record that is read by its id. The record has `merged_into` when the id belongs
 * to a merged record.
 */
export function recordById(resource: Resource): z.ZodMiniObject {
  const record = recordWithIncluded(resource);
  if (!resource.survivor) return record;
  return z.extend(record, { merged_into: z.optional(Id) }).register(z.globalRegistry, {
    id: `${resource.name}ById`,
  });
}

/** The schema of a record as lists and reads return it: with the records that `include` adds. */
export function recordWithIncluded(resource: Resource): z.ZodMiniObject {
  const record = recordSchema(resource);
  const included = Object.entries(resource.includes ?? {});
  if (included.length === 0) return record;
  const members = included.map(([name, { table, listedBy, atMost }]) => {
    if (!listedBy) return [name, z.optional(table.row)];
    if (!atMost) return [name, z.optional(z.array(table.row))];
    const data = z.array(table.row).check(z.maxLength(atMost));
    const newest = z.object({ data, has_more: z.boolean() }).register(z.globalRegistry, {
      id: `Included${name[0].toUpperCase()}${name.slice(1)}`,
    });
    return [name, z.optional(newest)];
  });
  return z.extend(record, Object.fromEntries(members)).register(z.globalRegistry, {
    id: `${resource.name}WithIncluded`,
  });
}
