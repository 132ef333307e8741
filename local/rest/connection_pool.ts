import { connect, type Socket } from "node:net";
import postgres, { type ReservedSql } from "postgres";
import type { Sql } from "../postgres/database.ts";

/**
 * The error codes that mean that no connection was established. A database that is starting up
 * sends 57P03.
 */
export const NO_CONNECTION = /^(ECONNREFUSED|CONNECT_TIMEOUT|57P03)$/;
/** The driver's error codes that mean that a connection was lost. */
const CONNECTION_LOST = /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONNRESET|EPIPE)$/;

/** An error that the server sent before it closed a connection. */
interface LastWords {
  code: string;
  message: string;
}

/** A connection was lost while it was idle or while a statement ran. */
export class ConnectionLost extends Error {
  override name = "ConnectionLost";
  /** @param isWithinTransaction false when the first or the last statement of the transaction failed. */
  constructor(readonly isWithinTransaction: boolean, readonly lastWords: LastWords | null) {
    super(lastWords?.message ?? "The connection to the database was lost");
  }
}

interface Connection {
  driver: Sql;
  isLost: boolean;
  /** The error that the server sent when it closed the connection; null until then. */
  lastWords: LastWords | null;
}

/**
 * A pool of connections that can be reserved, as large as a driver's own pool.
 *
 * The driver does not recover when it loses a reserved connection. A rollback on that connection
 * throws an error that no code can catch. After that connection is released, the next reservation
 * waits forever. The driver also waits up to 20 s before it connects again. So each connection in
 * this pool has its own driver, which is discarded when the connection is lost.
 *
 * A driver would also silently replace a connection that was lost while it was idle. PostgREST
 * instead gives such a connection to the next request, which fails. This pool does the same.
 * (PostgREST gives a lost connection to two requests, unless PostgREST notices the loss in the
 * meantime and empties its pool.)
 *
 * @param pattern a driver that does not connect itself. The driver's options say where the pool
 *   connects, and how many connections it may open.
 */
export function connectionPool(pattern: Sql): Pick<Sql, "reserve" | "end"> {
  const { max } = pattern.options;
  const connections = new Set<Connection>();
  const idle: Connection[] = [];
  const waiting: (() => void)[] = [];

  // Only the first connections read the types of arrays, and all connections share them. If a
  // connection is lost while it reads them, the driver throws an error that no code can catch.
  const typeArrayMap = {};
  let knowsTypes = false;
  const open = () => {
    const connection: Connection = { driver: pattern, isLost: false, lastWords: null };
    connection.driver = postgres({
      ...pattern.options,
      max: 1,
      // By default, the driver closes a connection after half an hour to an hour. To this pool, a
      // closed connection looks like a lost connection.
      max_lifetime: 0,
      fetch_types: !knowsTypes,
      shared: { retries: 0, typeArrayMap },
      socket: ({ host: [host], port: [port] }: { host: string[]; port: number[] }) =>
        openSocket(host, port, (words) => connection.lastWords = words),
      onclose: () => connection.isLost = true,
    } as never);
    connections.add(connection);
    return connection;
  };
  const discard = (connection: Connection) => {
    connections.delete(connection);
    connection.driver.end({ timeout: 0 }).catch(() => {}); // its connection is already lost
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
    const used = idle.pop();
    const connection = used ?? open();
    const giveBack = (isLost: boolean) => {
      if (isLost) discard(connection);
      else idle.push(connection);
      releaseSlot();
    };
    try {
      if (connection.isLost) throw new ConnectionLost(false, connection.lastWords);
      // The driver lets a caller reserve a new connection only after the connection has run a
      // statement.
      if (!used && knowsTypes) await connection.driver.unsafe("select 1");
      const reserved = await connection.driver.reserve();
      knowsTypes = true;
      return watched(reserved, connection, giveBack);
    } catch (error) {
      giveBack(true);
      throw error;
    }
  };
  const end = async (options?: { timeout?: number }) => {
    await Promise.all(Array.from(connections, ({ driver }) => driver.end(options)));
  };
  return { reserve, end };
}

/** Matches the message, in the protocol of Postgres, with which the server ends a connection. */
const FATAL = /\0V(?:FATAL|PANIC)\0C(?<code>\w{5})\0M(?<message>[^\0]*)\0/;

/**
 * Connects to Postgres and listens for the server's last message before it closes the connection.
 * If the server closes the connection immediately after this message, the driver does not report
 * the message.
 */
function openSocket(
  host: string,
  port: number,
  hear: (words: LastWords) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Without allowHalfOpen, a write after the server has ended the connection throws an error that
    // no code can catch. An error event without a listener throws such an error too, and the driver
    // removes its listeners before the last error event.
    const socket = connect({ port, host, allowHalfOpen: true });
    const removeAll = socket.removeAllListeners;
    socket.removeAllListeners = () => removeAll.call(socket).on("error", () => {});
    socket.on("error", reject);
    socket.once("end", () => socket.destroy());
    socket.once("connect", () => resolve(socket));
    socket.on("data", (bytes) => {
      const words = FATAL.exec(new TextDecoder().decode(bytes))?.groups;
      if (words) hear(words as unknown as LastWords);
    });
  });
}

/**
 * PostgREST makes a named prepared statement for each statement with parameters. So after five runs
 * on a connection, Postgres may use the same plan for all values. (The driver sends a statement
 * without parameters directly.)
 */
const PREPARED = { prepare: true };

/**
 * The first and the last statement of a transaction. If one of them fails, nothing is rolled back.
 */
const BOUNDARY = /^(begin|start transaction|commit)\b/i;

/** A reserved connection that refuses queries once it is lost, and reports the loss on its release. */
function watched(
  reserved: ReservedSql,
  connection: Connection,
  onRelease: (isLost: boolean) => void,
): ReservedSql {
  const { unsafe, release } = reserved;
  let loss: ConnectionLost | undefined;
  const lossDuring = (statement: string) =>
    new ConnectionLost(!BOUNDARY.test(statement), connection.lastWords);
  const unsafeUntilLost = async (...query: Parameters<typeof unsafe>) => {
    if (loss) throw loss;
    // The driver would write to a socket that no longer exists, and this write would throw an error
    // that ends the process.
    if (connection.isLost) throw loss = lossDuring(query[0]);
    try {
      return await unsafe(query[0], query[1], PREPARED);
    } catch (error) {
      if (!isLoss(error)) throw error;
      throw loss = lossDuring(query[0]);
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
