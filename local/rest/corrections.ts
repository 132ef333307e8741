// @supabase/lite is an alpha. Where it differs from PostgREST, this file corrects it, sealed_filters.ts
// its filters, embedded_rows.ts the rows that it embeds, connection_pool.ts its connections,
// database_errors.ts its errors and token_times.ts what it thinks of a token's times. Each correction says
// what PostgREST does, and a test in tests/local/ fails for each one that has become unnecessary. No other
// part of this repository depends on these differences.

import { AsyncLocalStorage } from "node:async_hooks";
import { type KyselyPlugin, type OperationNodeTransformer, sql } from "kysely";
import { asPostgrest } from "./database_errors.ts";
import { EmbeddedAsJsonb } from "./embedded_rows.ts";
import type { Typed } from "./filter_sql.ts";
import { judgeFilters, type Query, Unsealing } from "./sealed_filters.ts";

/** The internals of lite's Postgres connection that are corrected. lite's types do not declare them. */
export interface LiteConnection {
  driver: { typed: Typed };
  rlsState: "unknown" | "active" | "inactive";
  introspect(options?: { useCache?: boolean }): Promise<Catalogue>;
  normalizeDbError(error: unknown): unknown;
  onPostgrestAST(query: Query, vars: SessionVars): Promise<Query>;
  withContext(vars: SessionVars, work: Work, options?: { rpc?: RpcCall }): Promise<unknown>;
  applyJwtSessionContext(transaction: unknown, vars: SessionVars): Promise<void>;
  applyRpcRequestGucs(transaction: unknown, call: RpcCall): Promise<void>;
}
type Catalogue = { views: { name: string; schema: string; sql: string }[] };
type SessionVars = { auth?: { role?: string; jwt?: object }; readOnly?: boolean; call?: RpcCall };
/** A request that calls a function. */
type RpcCall = { method: string; path: string };
type Work = (database: Database) => Promise<unknown>;
type Database = { withPlugin(plugin: KyselyPlugin): Database };

/** The request that is being answered, for what the database is told of it. */
export const ofRequest = new AsyncLocalStorage<Request>();

/**
 * Corrects a connection in place.
 * @param privileged a connection that sees every table. PostgREST reads the catalogue as
 *   authenticator; lite reads information_schema, which shows a role only what it may use.
 */
export function correctConnection(connection: LiteConnection, privileged: LiteConnection) {
  connection.introspect = async (options) => withPlainViews(await privileged.introspect(options));

  // PostgREST grants nothing. In the state "unknown", the first request makes lite grant everything on
  // every table to anon and authenticated, and tests of permissions would prove nothing.
  connection.rlsState = "active";

  connection.normalizeDbError = asPostgrest;

  const plugins = [new Unsealing(connection.driver.typed), new EmbeddedAsJsonb()].map(changing);
  const { onPostgrestAST, withContext } = connection;
  connection.onPostgrestAST = (query, vars) => {
    vars.readOnly = query.type === "query";
    judgeFilters(query);
    return onPostgrestAST.call(connection, query, vars);
  };

  // PostgREST rolls back a request that it answers with an error. lite commits an update and then
  // answers that it changed too many rows. A function that is called sets the status of its answer
  // itself, so that status rolls nothing back.
  connection.withContext = async (vars, work, options) => {
    vars.call = options?.rpc;
    const attempt = () =>
      withContext.call(connection, vars, async (database) => {
        const answer = await work(plugins.reduce((all, each) => all.withPlugin(each), database));
        const isError = answer instanceof Response && answer.status >= 400;
        if (isError && !options?.rpc) throw new RolledBack(answer);
        return answer;
      }, options);
    for (let attempts = 1;; attempts++) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof RolledBack) return error.answer;
        const isConflict = (error as { code?: string }).code === "40001";
        if (!isConflict || attempts === MAX_ATTEMPTS) throw error;
      }
    }
  };

  // PostgREST prepares a transaction with one statement; lite needs up to six, and five more for a call
  // of a function. PostgREST also applies the settings of the request's role, such as its
  // statement_timeout, in lower case and where authenticator itself may take the role (its
  // Config/Database), and makes the transaction of a GET read-only. It reads them once, until it is
  // notified; here they are read for each request. And it tells every statement of the request: method, path and
  // headers, but for the cookies. lite tells a function only.
  connection.applyRpcRequestGucs = () => Promise.resolve();
  connection.applyJwtSessionContext = async (transaction, { auth, readOnly, call }) => {
    const role = auth?.role ?? "anon";
    const claims = JSON.stringify({ ...auth?.jwt, role });
    const request = ofRequest.getStore()!;
    const callSettings = call
      ? sql`
        ('response.status', ''),
        ('response.headers', ''),
      `
      : sql``;
    await sql`
      select set_config(name, value, true) from (
        select split_part(setting, '=', 1), lower(substring(setting from '=(.*)'))
        from pg_auth_members join pg_roles on pg_roles.oid = roleid, unnest(rolconfig) as setting
        where member = current_user::regrole and rolname = ${role}
        union all values
          ${callSettings}
          ('request.method', ${request.method}),
          ('request.path', ${new URL(request.url).pathname.slice("/rest/v1".length)}),
          ('request.headers', ${headersOf(request)}),
          ('transaction_read_only', ${readOnly ? "on" : "off"}),
          ('request.jwt.claims', ${claims}),
          ('role', ${role})
      ) as settings (name, value)
    `.execute(transaction as never);
  };
}

function headersOf({ headers }: Request): string {
  const { cookie: _, ...others } = Object.fromEntries(headers);
  return JSON.stringify(others);
}

/**
 * The same catalogue, for speed alone. For each column of every view, lite searches the view's SQL for types that
 * only SQLite needs, in each request. It takes the first view of that name in any schema, so one without SQL is put
 * before them; whatever else lite asks of views, it asks by schema too.
 */
function withPlainViews(catalogue: Catalogue): Catalogue {
  const plain = catalogue.views.map(({ name }) => ({ name, schema: "pg_temp", sql: "" }));
  return { ...catalogue, views: [...plain, ...catalogue.views] };
}

/**
 * Until its version 16, PostgREST repeats a transaction that failed with 40001 (serialization failure) at
 * once and without end, also when its caller has left: nobody ever sees the error, and a function that
 * always raises it takes a connection for good. Here it ends some time, with the answer of version 16.
 */
const MAX_ATTEMPTS = 100;

/** A plugin that changes every query by a transformer. */
function changing(transformer: OperationNodeTransformer): KyselyPlugin {
  return {
    transformQuery: ({ node }) => transformer.transformNode(node),
    transformResult: ({ result }) => Promise.resolve(result),
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
  json: { ...type([114], parseJson), serialize: asJson },
  jsonb: { ...type([3802], parseJson), serialize: asJson },
};

/** Parses JSON, and keeps the digits that a JavaScript number would lose. */
function parseJson(text: string): unknown {
  type Source = { source: string };
  const reviver = (_name: string, value: unknown, { source }: Source) =>
    typeof value === "number" ? asNumber(source) : value;
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]);
}

/**
 * lite writes the arguments of a function as JSON, and then its own serializer makes a JSON string of that. A
 * text that was meant as a JSON string cannot be told apart when it is JSON itself; no table here takes one.
 */
function asJson(value: unknown): string {
  return typeof value === "string" && isJson(value) ? value : JSON.stringify(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function type(oids: number[], parse: (text: string) => unknown) {
  return { to: oids[0], from: oids, serialize: String, parse };
}
