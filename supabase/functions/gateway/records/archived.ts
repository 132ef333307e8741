import * as z from "zod/mini";
import type { ColumnTest, Condition } from "./conditions.ts";
import type { Resource } from "./resource.ts";

// The records of some resources can be archived. Reads leave archived records out unless the caller
// asks for them.

/**
 * Whether a resource's records can be archived, and in which columns archived records store values.
 */
type Archives = Pick<Resource, "archives">;

/** Which records a read returns. */
export type Archived = z.output<typeof Archived>;

/** The parameter `archived`. */
export const Archived = z.optional(z.enum(["exclude", "include", "only"])).register(
  z.globalRegistry,
  { default: "exclude" },
);

/** Returns the parameter `archived`, if the resource has archived records. */
export function archivedParameter({ archives }: Archives): { archived?: typeof Archived } {
  return archives ? { archived: Archived } : {};
}

/** Returns the conditions for the parameter `archived` of a read request. */
export function archivedConditions(
  { archives }: Archives,
  archived: Archived = "exclude",
): Condition[] {
  if (!archives || archived === "include") return [];
  return [{
    column: "archived_at",
    operator: archived === "only" ? "not.is" : "is",
    operand: "null",
  }];
}

/**
 * Does the same as `archivedConditions`, but for reading one record by id. An erased record is
 * still returned, so that the caller learns that the record was erased.
 */
export function archivedRecordConditions(resource: Resource, archived?: Archived): Condition[] {
  const conditions = archivedConditions(resource, archived);
  const { erasedIn } = resource.archives ?? {};
  if (!erasedIn || archived === "only") return conditions;
  const isErased: ColumnTest = { column: erasedIn, operator: "not.is", operand: "null" };
  return conditions.map((condition) => ({ anyOf: [condition as ColumnTest, isErased] }));
}

/**
 * Extends a caller's conditions, so that they also test the columns that only archived records use.
 * For example, an archived contact's phone number is in a separate column.
 */
export function amongArchived(
  { archives }: Archives,
  archived: Archived = "exclude",
  conditions: Condition[],
): Condition[] {
  if (!archives?.keptIn || archived === "exclude") return conditions;
  const { keptIn } = archives;
  return conditions.flatMap((condition): Condition[] => {
    if ("anyOf" in condition) {
      return [{ anyOf: amongArchived({ archives }, archived, condition.anyOf) }];
    }
    if ("allOf" in condition || !Object.hasOwn(keptIn, condition.column)) return [condition];
    const kept: ColumnTest = { ...condition, column: keptIn[condition.column] };
    if (archived === "only") return [kept];
    const excludes = ["isdistinct", "is"].includes(condition.operator);
    return excludes ? [condition, kept] : [{ anyOf: [condition, kept] }];
  });
}
