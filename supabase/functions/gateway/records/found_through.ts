import { rows } from "../../_shared/database/rows.ts";
import { invalidRequest } from "../../_shared/errors.ts";
import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { type Condition, type Filterable, isAnyOf, meeting } from "./conditions.ts";
import type { Resource } from "./resource.ts";

interface Query
  extends PromiseLike<Parameters<typeof rows<{ id: string }[]>>[0]>, Filterable<Query> {}

/**
 * Converts conditions on other records' fields to conditions on the references to these records.
 * Each such condition needs one additional statement, but a join would be slower. The query then
 * contains the ids, so the planner knows which ids are frequent, and chooses the right plan.
 *
 * @throws ApiError `invalid_request` if more records match than a query has room for.
 */
export async function byReference(
  { reader }: { reader: CompanyDb },
  { through }: Pick<Resource, "through">,
  conditions: Condition[],
): Promise<Condition[]> {
  if (!through) return conditions;
  const found = conditions.map(async (each) => {
    if (!("column" in each) || !Object.hasOwn(through, each.column)) return [each];
    const { column, table, among, atMost, tooMany } = through[each.column];
    const all = reader.from(table.plainView).select("id") as unknown as Query;
    const ids = rows(await meeting(all, [each, ...among])).map(({ id }) => id);
    if (ids.length > atMost) throw invalidRequest([{ field: each.column, message: tooMany }]);
    return isAnyOf(column, ids);
  });
  return (await Promise.all(found)).flat();
}
