import * as z from "zod/mini";
import { Id } from "../../_shared/http/fields.ts";
import { built } from "../../_shared/lazily.ts";
import type { Table } from "../../_shared/database/table.ts";
import type { Condition } from "./conditions.ts";
import type { Filters } from "./filters.ts";
import type { PhoneColumns } from "./pasted_phone.ts";
import type { ListOrder, SortColumn } from "./sorting.ts";

/**
 * Declares one kind of record and what callers can read. The operations that read the record, their
 * parameters, their checks and their descriptions derive from this declaration.
 */
export interface Resource<
  Stored extends z.ZodMiniObject = z.ZodMiniObject,
  Answered extends z.ZodMiniObject = z.ZodMiniObject,
> {
  table: Table<Stored>;
  /** The singular name of a record, for example `Contact`. */
  name: string;
  /**
   * Converts a row to the returned record. If this function is missing, rows are returned as they
   * are stored.
   */
  answered?: {
    schema: z.ZodMiniLazy<Answered>;
    of(row: z.output<Stored>): z.output<Answered>;
  };
  /** The filters on each field. */
  filters: Filters;
  /** The columns with the folded text that `q` searches. */
  words?: string[];
  /** The columns that `q` uses to find a phone number in any format. */
  phones?: PhoneColumns;
  /**
   * The column with a JSON object. The filter `<column>.<key>=` finds rows by the properties of
   * this object.
   */
  members?: keyof Stored["shape"] & string;
  /**
   * The columns by which a list can be sorted, in either direction. Rows with equal values are
   * sorted by id.
   */
  sorts: Record<string, SortColumn>;
  /** The order of a list if the request has no `sort`. */
  order: ListOrder;
  /**
   * Present if records can be archived. Reads leave out archived records unless the caller asks for
   * them.
   */
  archives?: {
    /**
     * Maps a column, such as `phone_key`, to the column that contains its value while the record is
     * archived.
     */
    keptIn?: Record<string, string>;
    /** The column with the time when a record was erased. */
    erasedIn?: string;
  };
  /**
   * Present if records can be merged. This database function returns the id of the record into
   * which a record was merged.
   */
  survivor?: "survivor_of_contact";
  /**
   * Present if a contact can have additional values of `column`, such as additional phone numbers.
   * The database function `by` finds contacts by these values. The column `contact` contains the id
   * of a record's contact.
   */
  besides?: { column: string; by: "contacts_of_further_phones"; contact: string };
  /** Filters on fields of referenced records, by field name. */
  through?: Record<string, Through>;
  /** The records that `include` adds, by field name. */
  includes?: Record<string, Included>;
}

/** A filter on a field of referenced records. */
export interface Through {
  /** The column with the reference. */
  column: string;
  /** The table that contains the field. */
  table: Table;
  /** Conditions that all referenced records meet. */
  among: Condition[];
  /** How many records of the table a filter may match. */
  atMost: number;
  /** The error message if a filter matches more records. It follows the field's name. */
  tooMany: string;
}

/** Records of another resource that belong to a record. */
export interface Included {
  table: Table;
  /**
   * The sort order of the related records. If this order is missing, there is at most one related
   * record.
   */
  listedBy?: { column: string; ascending: boolean }[];
  /**
   * The maximum number of records in the list. If this limit is missing, the list is complete.
   * Otherwise, `has_more` says whether there are more records: `{ data, has_more }`.
   */
  atMost?: number;
  /** Whether reads leave out archived records unless the caller asks for them. */
  leavesOutArchived?: boolean;
}

/** Declares a resource, with the types of its rows. */
export function resource<
  Stored extends z.ZodMiniObject,
  Answered extends z.ZodMiniObject = Stored,
>(declared: Resource<Stored, Answered>): Resource<Stored, Answered> {
  return declared;
}

/** The schema of a record as it is returned. */
export function recordSchema({ table, answered }: Resource): z.ZodMiniObject {
  return answered ? built(answered.schema) : table.row;
}

/**
 * The schema of a record that is read by its id. The record has `merged_into` if the id belongs to
 * a merged record.
 */
export function recordById(resource: Resource): z.ZodMiniObject {
  const record = recordWithIncluded(resource);
  if (!resource.survivor) return record;
  return z.extend(record, { merged_into: z.optional(Id) }).register(z.globalRegistry, {
    id: `${resource.name}ById`,
  });
}

/** The schema of a record as lists and reads return it, with the records that `include` adds. */
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
