import * as z from "zod";
import { Id } from "../../_shared/http/fields.ts";
import type { Table } from "../../_shared/database/table.ts";
import type { Filters } from "./filters.ts";
import type { ListOrder, SortColumn } from "./sorting.ts";

/**
 * What callers read of one kind of record, declared once. The operations that read it, their parameters, their
 * checks and their description derive from this.
 */
export interface Resource<
  Stored extends z.ZodObject = z.ZodObject,
  Answered extends z.ZodObject = z.ZodObject,
> {
  table: Table<Stored>;
  /** What one record is called: `Contact`. */
  name: string;
  /** How a row is answered; missing when that is how it is stored. */
  answered?: {
    schema: Answered;
    /** The records of other tables that an answer is made of besides, by the members of the row that hold them. */
    beside?: Record<string, Table>;
    of(row: z.output<Stored>): z.output<Answered>;
  };
  /** Which field takes which operator. */
  filters: Filters;
  /** The columns with the folded texts that `q` searches. */
  words?: string[];
  /** The column with the JSON object whose members are found by `<column>.<key>=`. */
  members?: keyof Stored["shape"] & string;
  /** By what a list can be sorted, in either direction. Ties are in the order of their ids. */
  sorts: Record<string, SortColumn>;
  /** The order of a list without `sort`. */
  order: ListOrder;
  /** Present when records can be archived, so that a read leaves them out unless it asks for them. */
  archives?: {
    /** The columns in which archived records keep what other records have in these: `{ phone_key: "…" }`. */
    keptIn?: Record<string, string>;
    /** The column that says when a record was erased. */
    erasedIn?: string;
  };
  /** Present when records can be merged: the function that says into which record one was. */
  survivor?: "survivor_of_contact";
  /** Present when records are also found by further values of a column: the function that says which records are. */
  besides?: { column: string; by: "contacts_of_further_phones" };
  /** The records that `include` adds, by the names of the members that hold them. */
  includes?: Record<string, Included>;
}

/** Records of another resource that belong to a record. */
export interface Included {
  table: Table;
  /** One record, or a list in this order. */
  listedBy?: { column: string; ascending: boolean }[];
  /** Whether archived ones are left out of a read that does not ask for archived records. */
  leavesOutArchived?: boolean;
}

/** A resource, with the types of its rows. */
export function resource<
  Stored extends z.ZodObject,
  Answered extends z.ZodObject = Stored,
>(declared: Resource<Stored, Answered>): Resource<Stored, Answered> {
  return declared;
}

/** The schema of a record as it is answered. */
export function recordSchema({ table, answered }: Resource): z.ZodObject {
  return answered?.schema ?? table.row;
}

/**
 * The schema of a record as it is answered by its id: with `merged_into`, when it was merged into another one, which is
 * answered in its place.
 */
export function recordById(resource: Resource): z.ZodObject {
  const record = recordWithIncluded(resource);
  if (!resource.survivor) return record;
  return record.extend({ merged_into: Id.optional() }).meta({ id: `${resource.name}ById` });
}

/** The schema of a record as reads answer it: with the records that `include` adds, when they are asked for. */
export function recordWithIncluded(resource: Resource): z.ZodObject {
  const record = recordSchema(resource);
  const included = Object.entries(resource.includes ?? {});
  if (included.length === 0) return record;
  const members = included.map(([name, { table, listedBy }]) => {
    return [name, (listedBy ? z.array(table.row) : table.row).optional()];
  });
  return record.extend(Object.fromEntries(members)).meta({ id: `${resource.name}WithIncluded` });
}
