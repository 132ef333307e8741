import * as z from "zod";
import type { ColumnTest, Condition } from "./conditions.ts";
import type { Resource } from "./resource.ts";

// A record of some resources can be archived. It is then left out of every read that does not ask for it.

/** Whether a resource has archived records, and what it keeps of them elsewhere. */
type Archives = Pick<Resource, "archives">;

/** Which records a read answers. */
export type Archived = z.output<typeof Archived>;

/** The parameter `archived`. */
export const Archived = z.enum(["exclude", "include", "only"])
  .optional().meta({ default: "exclude" });

/** The parameter `archived`, where the resource has archived records. */
export function archivedParameter({ archives }: Archives) {
  return archives ? { archived: Archived } : {};
}

/** The condition on the records themselves. */
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

/** As `archivedConditions`, for one record by its id. What is left of an erased one is answered: that it was erased. */
export function archivedRecordConditions(resource: Resource, archived?: Archived): Condition[] {
  const conditions = archivedConditions(resource, archived);
  const { erasedIn } = resource.archives ?? {};
  if (!erasedIn || archived === "only") return conditions;
  const isErased: ColumnTest = { column: erasedIn, operator: "not.is", operand: "null" };
  return conditions.map((condition) => ({ anyOf: [condition as ColumnTest, isErased] }));
}

/**
 * The conditions of a caller, where archived records have a value of theirs in another column: an archived contact
 * keeps its phone in one by which nobody else finds it.
 */
export function amongArchived(
  { archives }: Archives,
  archived: Archived = "exclude",
  conditions: Condition[],
): Condition[] {
  if (!archives?.keptIn || archived === "exclude") return conditions;
  const { keptIn } = archives;
  return conditions.flatMap((condition): Condition[] => {
    if ("anyOf" in condition || !Object.hasOwn(keptIn, condition.column)) return [condition];
    const kept: ColumnTest = { ...condition, column: keptIn[condition.column] };
    if (archived === "only") return [kept];
    const excludes = ["isdistinct", "is"].includes(condition.operator);
    return excludes ? [condition, kept] : [{ anyOf: [condition, kept] }];
  });
}
