import postgres, { type ReservedSql } from "postgres";
import type { Sql } from "../postgres/database.ts";

/** What is said when there is no connection, or none any more; 57P03 by a database that is starting up. */
export const NO_CONNECTION_YET = /^(ECONNREFUSED|CONNECT_TIMEOUT|57P03)$/;
export const CONNECTION_LOST = /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONNRESET|EPIPE)$/;

/**
 * Connections to be reserved, as many as a driver's own pool has.
 *
 * The driver does not get over the loss of a connection that is reserved: a rollback on it throws where
 * nobody can catch it, and once it was released, whoever gets it next waits for ever. It also waits up to
 * 20 s before it connects again. So each connection is a driver of its own here, which is thrown away when
 * its connection is lost.
 *
 * @param pattern says where to connect, with what options, and how often at most; it connects to nothing.
 */
export function connectionPool(pattern: Sql): Pick<Sql, "reserve" | "end"> {
  const { max } = pattern.options;
  const all = new Set<Sql>();
  const idle: Sql[] = [];
  const waiting: (() => void)[] = [];

  const open = () => {
    const shared = { retries: 0, typeArrayMap: {} };
    const one: Sql = postgres({ ...pattern.options, max: 1, shared } as never);
    all.add(one);
    return one;
  };
  const discard = (one: Sql) => {
    all.delete(one);
    one.end({ timeout: 0 }).catch(() => {}); // there is nothing left to end
  };
  let inUse = 0;
  const turn = async () => {
    if (inUse < max) inUse++;
    else await new Promise<void>((go) => waiting.push(go));
  };
  const endTurn = () => {
    const next = waiting.shift();
    if (next) next();
    else inUse--;
  };

  const reserve = async () => {
    await turn();
    const one = idle.pop() ?? open();
    const giveBack = (isLost: boolean) => {
      if (isLost) discard(one);
      else idle.push(one);
      endTurn();
    };
    try {
      return watched(await one.reserve(), giveBack);
    } catch (error) {
      giveBack(true);
      throw error;
    }
  };
  const end = async (options?: { timeout?: number }) => {
    await Promise.all(Array.from(all, (one) => one.end(options)));
  };
  return { reserve, end };
}

/** A reserved connection that takes nothing more once it is lost, and says so when it is released. */
function watched(held: ReservedSql, onRelease: (isLost: boolean) => void): ReservedSql {
  const { unsafe, release } = held;
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
  return Object.assign(held, {
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
