import type postgres from "postgres";
import { until } from "../support/started.ts";
import { asSuperuser } from "../support/test_stack.ts";

// Runs simultaneous transactions and commits them, for tests of their effects on each other.

type Work<Answer> = (sql: postgres.TransactionSql) => Promise<Answer>;

/** Runs the work in one transaction, which starts as the superuser, and commits the transaction. */
export async function committed<Answer>(work: Work<Answer>): Promise<Answer> {
  return await asSuperuser(async (sql) => await sql.begin(work) as Answer);
}

/**
 * Runs the work in `count` simultaneous transactions, each on its own connection. The work starts
 * only when all transactions have started.
 */
export async function atOnce<Answer>(
  count: number,
  work: (sql: postgres.TransactionSql, number: number) => Promise<Answer>,
): Promise<Answer[]> {
  let waiting = count;
  const ready = Promise.withResolvers<void>();
  const works = Array.from({ length: count }, (_, number) =>
    committed(async (sql) => {
      await sql`select`;
      if (--waiting === 0) ready.resolve();
      await ready.promise;
      return await work(sql, number);
    }));
  return await Promise.all(works);
}

/**
 * Runs each function in its own transaction. The second transaction starts when the first function
 * has returned. The first transaction is committed when the second transaction waits for the first,
 * or has ended. If `undone` is true, the first transaction is rolled back instead.
 *
 * @param afterwards work of the first transaction before its end, while the second one waits.
 */
export async function overlapping<First, Second>(
  first: Work<First>,
  second: Work<Second>,
  { undone = false, afterwards }: { undone?: boolean; afterwards?: Work<unknown> } = {},
): Promise<[First, Second]> {
  const end = new Error("undone");
  let firstAnswer: First;
  let secondWork!: Promise<Second>;
  await committed(async (sql1) => {
    firstAnswer = await first(sql1);
    const pid = Promise.withResolvers<number>();
    secondWork = committed(async (sql2) => {
      pid.resolve((await sql2`select pg_backend_pid() as pid`)[0].pid);
      return await second(sql2);
    });
    let isOver = false;
    const over = secondWork.catch(() => {}).finally(() => isOver = true);
    const waiting = pid.promise.then((pid) => untilWaiting(pid, () => isOver));
    await Promise.race([over, waiting]);
    await afterwards?.(sql1);
    if (undone) throw end;
  }).catch((error) => {
    if (error !== end) throw error;
  });
  return [firstAnswer!, await secondWork];
}

/**
 * Resolves when a session waits for a lock that another session holds, or when `isOver` returns
 * true.
 */
export async function untilWaiting(pid: number, isOver = () => false) {
  await asSuperuser(async (sql) => {
    await until(async () => {
      const [{ waits }] = await sql`select pg_blocking_pids(${pid}) <> '{}' as waits`;
      return waits || isOver();
    });
  });
}
