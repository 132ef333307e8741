import postgres, { type ReservedSql } from "postgres";
import type { Sql } from "../postgres/database.ts";

/** The codes of errors that mean no connection was made. A database that is starting up sends 57P03. */
export const NO_CONNECTION = /^(ECONNREFUSED|CONNECT_TIMEOUT|57P03)$/;
/** The codes of errors that mean a connection was lost. */
export const CONNECTION_LOST = /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONNRESET|EPIPE)$/;

/**
 * A pool of connections to reserve, as large as a driver's own pool.
 *
 * The driver does not recover from the loss of a reserved connection: a rollback on it throws an error
 * that nothing can catch, and after its release the next reservation never gets it. It also waits up to
 * 20 s before it connects again. So each connection here has a driver of its own, which is discarded
 * when the connection is lost.
 *
 * @param pattern a driver that connects to nothing itself. Its options say where the pool connects and
 *   how many connections it may open.
 */
export function connectionPool(pattern: Sql): Pick<Sql, "reserve" | "end"> {
  const { max } = pattern.options;
  const drivers = new Set<Sql>();
  const idle: Sql[] = [];
  const waiting: (() => void)[] = [];

  const open = () => {
    const shared = { retries: 0, typeArrayMap: {} };
    const driver: Sql = postgres({ ...pattern.options, max: 1, shared } as never);
    drivers.add(driver);
    return driver;
  };
  const discard = (driver: Sql) => {
    drivers.delete(driver);
    driver.end({ timeout: 0 }).catch(() => {}); // its connection is lost already
  };
  let inUse = 0;
  const takeSlot = async () => {
    if (inUse < max) inUse++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const releaseSlot = () => {
    const next = waiting.shift();
    if (next) next();
    else inUse--;
  };

  const reserve = async () => {
    await takeSlot();
    const driver = idle.pop() ?? open();
    const giveBack = (isLost: boolean) => {
      if (isLost) discard(driver);
      else idle.push(driver);
      releaseSlot();
    };
    try {
      return watched(await driver.reserve(), giveBack);
    } catch (error) {
      giveBack(true);
      throw error;
    }
  };
  const end = async (options?: { timeout?: number }) => {
    await Promise.all(Array.from(drivers, (driver) => driver.end(options)));
  };
  return { reserve, end };
}

/** A reserved connection that refuses queries once it is lost, and reports the loss on its release. */
function watched(reserved: ReservedSql, onRelease: (isLost: boolean) => void): ReservedSql {
  const { unsafe, release } = reserved;
  let loss: { error: unknown } | undefined;
  const unsafeUntilLost = async (...query: Parameters<typeof unsafe>) => {
    if (loss) throw loss.error;
    try {
      return await unsafe(...query);
    } catch (error) {
      if (isLoss(error)) loss = { error };
      throw error;
    }
  };
  return Object.assign(reserved, {
    unsafe: unsafeUntilLost as unknown as typeof unsafe,
    release() {
      if (!loss) release();
      onRelease(loss !== undefined);
    },
  });
}

function isLoss(error: unknown): boolean {
  const { code = "", severity } = error as { code?: string; severity?: string };
  return severity === "FATAL" || severity === "PANIC" || CONNECTION_LOST.test(code);
}
