import { rows } from "../../_shared/database/rows.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import type { Archived } from "./archived.ts";
import { type ColumnTest, type Condition, isAnyOf } from "./conditions.ts";
import type { Resource } from "./resource.ts";

// A contact that others were merged into is found by their phones too. Nearly always a phone is the one of its contact,
// and its list costs one round trip. Only what is not found by that is looked up.

function isChoice({ operator }: ColumnTest): boolean {
  return operator === "eq" || operator === "in";
}

function testsOf(condition: Condition): ColumnTest[] {
  return "anyOf" in condition ? condition.anyOf : [condition];
}

/** The records that have a phone besides, when a list has found fewer records than it was asked for phones. */
export async function foundBesides(
  { db }: Caller,
  { besides }: Pick<Resource, "besides">,
  { conditions, archived = "exclude" }: { conditions: Condition[]; archived?: Archived },
  found: number,
): Promise<string[]> {
  if (!besides) return [];
  const phone_keys = conditions.flatMap(testsOf)
    .filter((test) => test.column === besides.column && isChoice(test))
    .flatMap(({ operand }) => operand.match(/\+\d+/g) ?? []);
  const with_archived = archived !== "exclude";
  if (phone_keys.length === 0 || (found >= phone_keys.length && !with_archived)) return [];
  return rows(await db.rpc(besides.by, { phone_keys, with_archived }, { get: true })) as string[];
}

/** The conditions, where those on the column of `besides` are also met by the records with these ids. */
export function orThese(
  { besides, archives }: Pick<Resource, "besides" | "archives">,
  conditions: Condition[],
  ids: string[],
): Condition[] {
  if (!besides || ids.length === 0) return conditions;
  const columns = [besides.column, archives?.keptIn?.[besides.column]];
  const [areThese] = isAnyOf("id", ids) as ColumnTest[];
  return conditions.map((each): Condition => {
    const tests = testsOf(each);
    const isAsked = tests.some((test) => columns.includes(test.column) && isChoice(test));
    return isAsked ? { anyOf: [...tests, areThese] } : each;
  });
}
