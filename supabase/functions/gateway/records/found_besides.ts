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

/** The ids of contacts whose records also match a condition. */
export type Besides = ReadonlyMap<Condition, string[]>;

/**
 * Returns, for each condition, the ids of contacts that have one of its phone numbers as an
 * additional number. The service looks up these ids only in three cases: if the list has fewer
 * records than the request has phone numbers, if the list may have records of archived contacts, or
 * if `q` contains a phone number. Each condition with phone numbers needs one statement.
 */
export async function foundBesides(
  { db }: Caller,
  { besides, archives }: Pick<Resource, "besides" | "archives">,
  { conditions, archived = "exclude" }: { conditions: Condition[]; archived?: Archived },
  found: number,
): Promise<Besides> {
  if (!besides) return new Map();
  const keysOf = (condition: Condition) =>
    testsOf(condition)
      .filter((test) => test.column === besides.column && isChoice(test))
      .flatMap(({ operand }) => operand.match(/\+\d+/g) ?? []);
  const asking = conditions.filter((each) => keysOf(each).length > 0);
  // The records that `q` finds may contain the digits elsewhere, for example in a name.
  const isSearched = asking.some((each) => "anyOf" in each);
  // Records that cannot be archived themselves may belong to archived contacts.
  const with_archived = !archives || archived !== "exclude";
  const isComplete = found >= asking.flatMap(keysOf).length && !isSearched && !with_archived;
  if (isComplete) return new Map();
  const idsOf = asking.map(async (each): Promise<[Condition, string[]]> => {
    const asked = { phone_keys: keysOf(each), with_archived };
    return [each, rows(await db.rpc(besides.by, asked, { get: true })) as string[]];
  });
  return new Map((await Promise.all(idsOf)).filter(([, ids]) => ids.length > 0));
}

/** Returns the conditions, extended so that each also matches the records of its contacts. */
export function orThese(
  { besides }: Pick<Resource, "besides">,
  conditions: Condition[],
  idsOf: Besides,
): Condition[] {
  if (!besides) return conditions;
  return conditions.map((each): Condition => {
    const ids = idsOf.get(each);
    if (!ids) return each;
    return {
      anyOf: [...("anyOf" in each ? each.anyOf : [each]), ...isAnyOf(besides.contact, ids)],
    };
  });
}
