import { rows } from "../../_shared/database/rows.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import type { Archived } from "./archived.ts";
import { type ColumnTest, type Condition, isAnyOf, testsOf } from "./conditions.ts";
import type { Resource } from "./resource.ts";

// A search for a merged contact's phone number also finds the remaining contact. Nearly every phone
// number is its contact's main number, so a filter by phone number usually needs only one round
// trip. A second round trip finds the contacts that have the number as an additional number.

function isChoice({ operator }: ColumnTest): boolean {
  return operator === "eq" || operator === "in";
}

/**
 * Returns the ids of contacts that have one of the requested phone numbers as an additional number.
 * The service looks up these ids only in three cases: if the list has fewer records than the
 * request has phone numbers, if the list may have records of archived contacts, or if `q` contains
 * a phone number.
 */
export async function foundBesides(
  { db }: Caller,
  { besides, archives }: Pick<Resource, "besides" | "archives">,
  { conditions, archived = "exclude" }: { conditions: Condition[]; archived?: Archived },
  found: number,
): Promise<string[]> {
  if (!besides) return [];
  const keysOf = (condition: Condition) =>
    testsOf(condition)
      .filter((test) => test.column === besides.column && isChoice(test))
      .flatMap(({ operand }) => operand.match(/\+\d+/g) ?? []);
  const phone_keys = conditions.flatMap(keysOf);
  // The records that `q` finds may contain the digits elsewhere, for example in a name.
  const isSearched = conditions.some((each) => "anyOf" in each && keysOf(each).length > 0);
  // Records that cannot be archived themselves may belong to archived contacts.
  const with_archived = !archives || archived !== "exclude";
  const isComplete = found >= phone_keys.length && !isSearched && !with_archived;
  if (phone_keys.length === 0 || isComplete) return [];
  return rows(await db.rpc(besides.by, { phone_keys, with_archived }, { get: true })) as string[];
}

/** Returns the conditions, extended so that they also match these contacts' records. */
export function orThese(
  { besides, archives }: Pick<Resource, "besides" | "archives">,
  conditions: Condition[],
  ids: string[],
): Condition[] {
  if (!besides || ids.length === 0) return conditions;
  const columns = [besides.column, archives?.keptIn?.[besides.column]];
  const [areThese] = isAnyOf(besides.contact, ids) as ColumnTest[];
  return conditions.map((each): Condition => {
    const tests = testsOf(each);
    const isAsked = tests.some((test) => columns.includes(test.column) && isChoice(test));
    return isAsked ? { anyOf: ["anyOf" in each ? each.anyOf : each, areThese].flat() } : each;
  });
}
