import { rows } from "../../_shared/database/rows.ts";
import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { type Condition, type Filterable, isAnyOf, meeting } from "./conditions.ts";
import type { Resource } from "./resource.ts";

interface Query
  extends PromiseLike<Parameters<typeof rows<{ id: string }[]>>[0]>, Filterable<Query> {}

/**
 * Converts conditions on other records' fields to conditions on the references to these records.
 * Each such condition needs one additional statement, but a join would be slower. The query then
 * contains the ids, so the planner knows which ids are frequent, and chooses the right plan.
 */
export async function byReference(
  { reader }: { reader: CompanyDb },
  { through }: Pick<Resource, "through">,
  conditions: Condition[],
): Promise<Condition[]> {
  if (!through) return conditions;
  const found = conditions.map(async (each) => {
    if (!("column" in each) || !Object.hasOwn(through, each.column)) return [each];
    const { column, table } = through[each.column];
    const all = reader.from(table.plainView).select("id") as unknown as Query;
    return isAnyOf(column, rows(await meeting(all, [each])).map(({ id }) => id));
  });
  return (await Promise.all(found)).flat();
}
