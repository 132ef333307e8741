import type postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";

/** Returns these items in every possible order. */
export function orders<Thing>(things: readonly Thing[]): Thing[][] {
  if (things.length <= 1) return [[...things]];
  return things.flatMap((thing, n) =>
    orders(things.toSpliced(n, 1)).map((others) => [thing, ...others])
  );
}

/**
 * Runs the work once for each order, and rolls the work back each time, so every order starts with
 * the same rows.
 */
export async function inEachOrder<Thing>(
  all: Thing[][],
  work: (sql: postgres.TransactionSql, order: Thing[]) => Promise<void>,
): Promise<void> {
  const end = new Error("undone");
  await rolledBack(async (sql) => {
    for (const order of all) {
      await sql.savepoint(async (sql) => {
        await work(sql, order);
        throw end;
      }).catch((error) => {
        if (error !== end) throw error;
      });
    }
  });
}
