// @supabase/lite is an alpha. Where it differs from PostgREST, this file corrects it, sealed_operands.ts
// its filters and connection_pool.ts its connections. Each correction says what PostgREST does, and a
// test in tests/local/ fails for each one that has become unnecessary. No other part of this
// repository depends on these differences.

import { RelationNotFoundError } from "@supabase/lite";
import { sql } from "kysely";
import { CONNECTION_LOST, NO_CONNECTION } from "./connection_pool.ts";
import { unsealed } from "./sealed_operands.ts";

/** The internals of lite's Postgres connection that are corrected. lite's types do not declare them. */
export interface LiteConnection {
  rlsState: "unknown" | "active" | "inactive";
  introspect(options?: { useCache?: boolean }): Promise<unknown>;
  normalizeDbError(error: unknown): unknown;
  onPostgrestAST(query: Query, vars: SessionVars): Promise<Query>;
  withContext(vars: SessionVars, work: Work, options?: { rpc?: RpcCall }): Promise<unknown>;
  applyJwtSessionContext(transaction: unknown, vars: SessionVars): Promise<void>;
  applyRpcRequestGucs(transaction: unknown, call: RpcCall): Promise<void>;
}
type Query = { type: string; select?: unknown; where?: unknown };
type SessionVars = { auth?: { role?: string; jwt?: object }; readOnly?: boolean; call?: RpcCall };
/** A request that calls a function. */
type RpcCall = { method: string; path: string; requestHeaders?: object };
type Work = (database: unknown) => Promise<unknown>;

/**
 * Corrects a connection in place.
 * @param privileged a connection that sees every table. PostgREST reads the catalogue as
 *   authenticator; lite reads information_schema, which shows a role only what it may use.
 */
export function correctConnection(connection: LiteConnection, privileged: LiteConnection) {
  connection.introspect = (options) => privileged.introspect(options);

  // PostgREST grants nothing. In the state "unknown", the first request makes lite grant everything on
  // every table to anon and authenticated, and tests of permissions would prove nothing.
  connection.rlsState = "active";

  connection.normalizeDbError = asPostgrest;

  const { onPostgrestAST, withContext } = connection;
  connection.onPostgrestAST = (query, vars) => {
    vars.readOnly = query.type === "query";
    const { select, where } = query;
    return onPostgrestAST.call(connection, { ...query, ...unsealed({ select, where }) }, vars);
  };

  // PostgREST rolls back a request that it answers with an error. lite commits an update and then
  // answers that it changed too many rows. A function that is called sets the status of its answer
  // itself, so that status rolls nothing back.
  connection.withContext = async (vars, work, options) => {
    vars.call = options?.rpc;
    try {
      return await withContext.call(connection, vars, async (database) => {
        const answer = await work(database);
        const isError = answer instanceof Response && answer.status >= 400;
        if (isError && !options?.rpc) throw new RolledBack(answer);
        return answer;
      }, options);
    } catch (error) {
      if (error instanceof RolledBack) return error.answer;
      throw error;
    }
  };

  // PostgREST prepares a transaction with one statement; lite needs up to six, and five more for a call
  // of a function. PostgREST also applies the settings of the request's role, such as its
  // statement_timeout, and makes the transaction of a GET read-only.
  connection.applyRpcRequestGucs = () => Promise.resolve();
  connection.applyJwtSessionContext = async (transaction, { auth, readOnly, call }) => {
    const role = auth?.role ?? "anon";
    const claims = JSON.stringify({ ...auth?.jwt, role });
    const callSettings = call
      ? sql`
        ('request.method', ${call.method}),
        ('request.path', ${call.path}),
        ('request.headers', ${JSON.stringify(call.requestHeaders ?? {})}),
        ('response.status', ''),
        ('response.headers', ''),
      `
      : sql``;
    await sql`
      select set_config(name, value, true) from (
        select split_part(setting, '=', 1), substring(setting from '=(.*)')
        from pg_roles, unnest(rolconfig) as setting where rolname = ${role}
        union all values
          ${callSettings}
          ('transaction_read_only', ${readOnly ? "on" : "off"}),
          ('request.jwt.claims', ${claims}),
          ('role', ${role})
      ) as settings (name, value)
    `.execute(transaction as never);
  };
}

class RolledBack {
  constructor(readonly answer: Response) {}
}

/**
 * PostgREST trusts a signed token. lite looks its user and session up in its own auth service, which
 * is off here; this middleware lets it find any of them.
 */
export async function trustTokens(
  context: { set(name: string, value: unknown): void },
  next: () => Promise<void>,
) {
  const found = () => Promise.resolve({});
  context.set("authService", { repo: { findUserById: found, findSessionById: found } });
  await next();
}

/** PostgREST's HTTP status for an SQLSTATE (its docs, "HTTP Status Codes"). The first match wins. */
const STATUS_BY_SQLSTATE: [RegExp, number][] = [
  [/^(23503|23505)$/, 409],
  [/^25006$/, 405],
  [/^(42883|42P01)$/, 404],
  [/^(21000|42P17|53400)$/, 500],
  [/^(08|53|57P01)/, 503],
  [/^P0001$/, 400],
  [/^(28|0L|0P)/, 403],
  [/^(09|25|2D|38|39|3B|40|54|55|57|58|F0|HV|P0|XX)/, 500],
  [/./, 400],
];

/** PostgREST's code and message for an error of the driver: no connection was made, or it was lost. */
const CONNECTION_ERRORS: [RegExp, string, string][] = [
  [NO_CONNECTION, "PGRST000", "Database connection error"],
  [CONNECTION_LOST, "PGRST001", "Database client error"],
];

/** An error in the form that lite passes through unchanged. */
class DatabaseAnswer {
  readonly code = "PGRST";
  constructor(readonly message: string, readonly detail: string) {}
}

/**
 * lite answers several SQLSTATEs (such as 23514, P0001 and 57014) with a 500 of its own. In the form
 * of PostgREST's `raise sqlstate 'PGRST'`, lite gives them the status and body that PostgREST gives.
 */
function asPostgrest(error: unknown): unknown {
  const { code, message, detail, hint } = error as Record<string, string | undefined>;
  const connectionError = CONNECTION_ERRORS.find(([pattern]) => pattern.test(code ?? ""));
  if (connectionError) {
    const [, pgrstCode, sentence] = connectionError;
    const body = { code: pgrstCode, message: sentence, details: message ?? null, hint: null };
    return new DatabaseAnswer(JSON.stringify(body), JSON.stringify({ status: 503, headers: {} }));
  }
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return error;
  if (code === "PGRST" || code === "42501" || code.startsWith("PT")) return error;
  const [, status] = STATUS_BY_SQLSTATE.find(([pattern]) => pattern.test(code))!;
  return new DatabaseAnswer(
    JSON.stringify({ code, message, details: detail ?? null, hint: hint ?? null }),
    JSON.stringify({ status, headers: {} }),
  );
}

/**
 * Keeps lite from printing the errors that it answers. PostgREST does not print them either: a
 * caller's mistake is no event of the server.
 */
export function silenceAnsweredErrors() {
  const print = console.error;
  console.error = (...values: unknown[]) => {
    const [value] = values;
    const isAnswer = value instanceof DatabaseAnswer || value instanceof RelationNotFoundError ||
      (value instanceof Error && value.name === "PostgresError");
    if (!isAnswer) print(...values);
  };
}

function asNumber(text: string): unknown {
  const number = Number(text);
  if (Number.isFinite(number) && String(number) === text) return number;
  // Keeps the digits that a JavaScript number would lose. JSON has no NaN, which stays text.
  return /\d/.test(text) ? (JSON as unknown as RawJson).rawJSON(text) : text;
}
type RawJson = { rawJSON(text: string): unknown };

function asTimestamp(text: string): string {
  return text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");
}

/** Reads values so that their JSON is that of Postgres' to_json, which is what PostgREST answers. */
export const postgresTypes = {
  // The driver's own serializer sends any text as false, so that active=eq.true finds inactive rows.
  bool: type([16], (text) => text === "t"),
  bytea: type([17], (text) => text),
  bigint: type([20], asNumber),
  float: type([701, 700], asNumber),
  timestamp: type([1114], asTimestamp),
  timestamptz: type([1184], asTimestamp),
  numeric: type([1700], asNumber),
};

function type(oids: number[], parse: (text: string) => unknown) {
  return { to: oids[0], from: oids, serialize: String, parse };
}
