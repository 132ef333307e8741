// @supabase/lite is an alpha. This file and others correct lite where it differs from PostgREST:
//   - sealed_filters.ts: its filters
//   - embedded_rows.ts: the rows that it embeds
//   - connection_pool.ts: its connections
//   - role_settings.ts: when it reads the settings of roles
//   - database_errors.ts: its errors
//   - token_times.ts: how it checks a token's times
// The comment on each correction describes PostgREST's behaviour, and each correction has a test in
// tests/local/. After an upgrade of lite, remove a correction and run its test: if the test still
// passes, the correction is no longer necessary. Nothing else in this repository depends on these
// differences.

import { AsyncLocalStorage } from "node:async_hooks";
import { type KyselyPlugin, type OperationNodeTransformer, sql } from "kysely";
import { NO_CONNECTION } from "./connection_pool.ts";
import { asPostgrest } from "./database_errors.ts";
import { EmbeddedAsJsonb } from "./embedded_rows.ts";
import type { RoleSetting, RoleSettings } from "./role_settings.ts";
import type { Typed } from "./filter_sql.ts";
import { judgeFilters, type Query, Unsealing } from "./sealed_filters.ts";

/**
 * The internals of lite's Postgres connection that this file corrects. lite's types do not declare
 * them.
 */
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

/** The current request. The database receives the request's method, path and headers. */
export const ofRequest = new AsyncLocalStorage<Request>();

/**
 * Corrects a connection in place.
 * @param privileged a connection that sees every table. PostgREST reads the catalogue as
 *   authenticator. lite reads information_schema, which shows a role only what the role may use.
 */
export function correctConnection(
  connection: LiteConnection,
  privileged: LiteConnection,
  roleSettings: RoleSettings,
) {
  connection.introspect = async (options) => withPlainViews(await privileged.introspect(options));

  // PostgREST grants nothing. In the state "unknown", lite would grant everything on every table to
  // anon and authenticated at the first request. Tests of permissions would then prove nothing.
  connection.rlsState = "active";

  let knowsSchema = true;
  connection.normalizeDbError = (error) => {
    const answer = asPostgrest(error, knowsSchema);
    if (NO_CONNECTION.test(String((error as { code?: unknown }).code))) knowsSchema = false;
    return answer;
  };

  const plugins = [new Unsealing(connection.driver.typed), new EmbeddedAsJsonb()].map(changing);
  const { onPostgrestAST, withContext } = connection;
  connection.onPostgrestAST = (query, vars) => {
    vars.readOnly = query.type === "query";
    judgeFilters(query);
    return onPostgrestAST.call(connection, query, vars);
  };

  // PostgREST rolls back a request that ends with an error response. When an update changes too
  // many rows, lite commits the update before it returns the error. A status that a called function
  // sets for its response does not cause a rollback.
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
        const isConflict = /^(40001|40P01)$/.test((error as { code?: string }).code ?? "");
        if (!isConflict || attempts === MAX_ATTEMPTS) throw error;
      }
    }
  };

  // PostgREST prepares a transaction with one statement. lite needs up to six statements, and five
  // more for a function call. PostgREST also applies the settings of the request's role, such as
  // its statement_timeout, and makes the transaction of a GET read-only. PostgREST gives every
  // statement the request's method, path and headers, except the cookies. lite gives them only to a
  // function.
  connection.applyRpcRequestGucs = () => Promise.resolve();
  connection.applyJwtSessionContext = async (transaction, { auth, readOnly, call }) => {
    const role = auth?.role ?? "anon";
    const claims = JSON.stringify({ ...auth?.jwt, role });
    const request = ofRequest.getStore()!;
    const settings = {
      ...await roleSettings.of(role, () => readRoleSettings(transaction)),
      ...(call && { "response.status": "", "response.headers": "" }),
      "request.method": request.method,
      "request.path": new URL(request.url).pathname.slice("/rest/v1".length),
      "request.headers": headersOf(request),
      "transaction_read_only": readOnly ? "on" : "off",
      "request.jwt.claims": claims,
      role,
    };
    const rows = Object.entries(settings).map(([name, value]) => sql`(${name}, ${value})`);
    await sql`
      select set_config(name, value, true) from (values ${sql.join(rows)}) as settings (name, value)
    `.execute(transaction as never);
    knowsSchema = true;
  };
}

/**
 * The settings of the roles that authenticator may switch to, in lower case (PostgREST's
 * Config/Database).
 */
async function readRoleSettings(transaction: unknown): Promise<RoleSetting[]> {
  const { rows } = await sql<RoleSetting>`
    select rolname as role, split_part(setting, '=', 1) as name, lower(substring(setting from '=(.*)')) as value
    from pg_auth_members join pg_roles on pg_roles.oid = roleid, unnest(rolconfig) as setting
    where member = current_user::regrole
  `.execute(transaction as never);
  return rows;
}

function headersOf({ headers }: Request): string {
  const { cookie: _, ...others } = Object.fromEntries(headers);
  return JSON.stringify(others);
}

/**
 * Adds views without SQL to the catalogue, so that lite handles requests faster. In each request,
 * lite searches the SQL of every view for types that only SQLite needs, once for each column. lite
 * uses the first view with the searched name in any schema, so the added views come before the
 * others. lite's other searches for a view also compare the schema, so they still find the real
 * view.
 */
function withPlainViews(catalogue: Catalogue): Catalogue {
  const plain = catalogue.views.map(({ name }) => ({ name, schema: "pg_temp", sql: "" }));
  return { ...catalogue, views: [...plain, ...catalogue.views] };
}

/**
 * Before version 16, PostgREST endlessly repeats a transaction that failed with 40001
 * (serialization failure) or 40P01 (deadlock). PostgREST repeats without a pause, even after the
 * caller has disconnected. So no caller ever receives the error, and a function that always raises
 * this error occupies a connection forever. The local stack gives up after this many attempts, and
 * then returns the same response as version 16.
 */
const MAX_ATTEMPTS = 100;

/** A plugin that changes every query with a transformer. */
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
 * PostgREST trusts a signed token. lite looks up the token's user and session in its own auth
 * service, which is off here. With this middleware, lite finds every user and session.
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
  // Keeps the digits that a JavaScript number would lose. JSON has no NaN, so NaN remains a string.
  return /\d/.test(text) ? (JSON as unknown as RawJson).rawJSON(text) : text;
}
type RawJson = { rawJSON(text: string): unknown };

function asTimestamp(text: string): string {
  return text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");
}

/** Reads values so that their JSON is the JSON of Postgres' to_json, which PostgREST returns. */
export const postgresTypes = {
  // lite passes a boolean as a string, and the driver's own serializer sends every string as false.
  // As a result, active=eq.true would find inactive rows.
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

/** Parses JSON and keeps the digits that a JavaScript number would lose. */
function parseJson(text: string): unknown {
  type Source = { source: string };
  const reviver = (_name: string, value: unknown, { source }: Source) =>
    typeof value === "number" ? asNumber(source) : value;
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]);
}

/**
 * Writes a value as JSON. A string that already is JSON is not converted again, because lite writes
 * the arguments of a function as JSON before it calls this serializer. So a caller's string that
 * contains JSON is not converted either, but no table here accepts such a string.
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
