// @supabase/lite is an alpha. Where it does not do what PostgREST does, this file makes it: each
// correction says what PostgREST does, and tests/local/rest_*_test.ts fail for each one that has
// become unnecessary. Nothing else in this repository knows about these differences.

import { RelationNotFoundError } from "@supabase/lite";
import { decodeHex, encodeHex } from "deno-std/encoding/hex.js";
import { sql } from "kysely";
import { CONNECTION_LOST, NO_CONNECTION_YET } from "./connection_pool.ts";

/** What lite's Postgres connection has inside, as far as it is corrected. Not part of its types. */
export interface LiteConnection {
  rlsState: "unknown" | "active" | "inactive";
  introspect(options?: { useCache?: boolean }): Promise<unknown>;
  normalizeDbError(error: unknown): unknown;
  onPostgrestAST(query: Query, vars: SessionVars): Promise<Query>;
  withContext(vars: SessionVars, work: Work, options?: { rpc?: Call }): Promise<unknown>;
  applyJwtSessionContext(transaction: unknown, vars: SessionVars): Promise<void>;
  applyRpcRequestGucs(transaction: unknown, call: Call): Promise<void>;
}
type Query = { type: string; select?: unknown; where?: unknown };
type SessionVars = { auth?: { role?: string; jwt?: object }; readOnly?: boolean; call?: Call };
/** A request that calls a function. */
type Call = { method: string; path: string; requestHeaders?: object };
type Work = (database: unknown) => Promise<unknown>;

/**
 * Corrects a connection in place.
 * @param privileged a connection that sees every table; lite reads information_schema, which shows
 *   a role only what it may use, while PostgREST reads the catalogue as authenticator.
 */
export function correctConnection(connection: LiteConnection, privileged: LiteConnection) {
  connection.introspect = (options) => privileged.introspect(options);

  // In the state "unknown" lite grants everything on every table to anon and authenticated at its
  // first request. PostgREST grants nothing, and with those grants no permission test means anything.
  connection.rlsState = "active";

  connection.normalizeDbError = asPostgrest;

  const { onPostgrestAST, withContext } = connection;
  connection.onPostgrestAST = (query, vars) => {
    vars.readOnly = query.type === "query";
    const { select, where } = query;
    return onPostgrestAST.call(connection, { ...query, ...unsealed({ select, where }) }, vars);
  };

  // PostgREST rolls back what it answers with an error. lite commits an update of which it then says
  // that it touched too many rows. The status of a function's answer is the function's own.
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

  // PostgREST prepares a transaction in one statement, lite in up to six, and five more for a call of a
  // function. PostgREST also gives it the settings of the request's role, such as its statement_timeout,
  // and lets a GET only read.
  connection.applyRpcRequestGucs = () => Promise.resolve();
  connection.applyJwtSessionContext = async (transaction, { auth, readOnly, call }) => {
    const role = auth?.role ?? "anon";
    const claims = JSON.stringify({ ...auth?.jwt, role });
    const ofTheCall = call
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
          ${ofTheCall}
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

/** PostgREST believes a signed token. lite asks its own auth service, which is off, about a person. */
export async function believeTokens(
  context: { set(name: string, value: unknown): void },
  next: () => Promise<void>,
) {
  const found = () => Promise.resolve({});
  context.set("authService", { repo: { findUserById: found, findSessionById: found } });
  await next();
}

/** PostgREST's HTTP status for an SQLSTATE (its docs, "HTTP Status Codes"), first match wins. */
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

/** What the driver says without Postgres; PostgREST tells one that is not there from one that went away. */
const NO_CONNECTION: [RegExp, string, string][] = [
  [NO_CONNECTION_YET, "PGRST000", "Database connection error"],
  [CONNECTION_LOST, "PGRST001", "Database client error"],
];

/** An error of the database as lite passes it through unchanged. */
class DatabaseAnswer {
  readonly code = "PGRST";
  constructor(readonly message: string, readonly detail: string) {}
}

/**
 * lite answers several classes of SQLSTATE (23514, P0001, 57014 among them) with a 500 of its own.
 * Wrapped as PostgREST's own `raise sqlstate 'PGRST'`, they arrive as PostgREST would answer them.
 */
function asPostgrest(error: unknown): unknown {
  const { code, message, detail, hint } = error as Record<string, string | undefined>;
  const lost = NO_CONNECTION.find(([pattern]) => pattern.test(code ?? ""));
  if (lost) {
    const [, answer, sentence] = lost;
    const body = { code: answer, message: sentence, details: message ?? null, hint: null };
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

/** lite prints every error that it answers, PostgREST only answers it: what a caller did wrong is no event of the server's. */
export function withoutErrorsPrinted() {
  const print = console.error;
  console.error = (...values: unknown[]) => {
    const [value] = values;
    const isAnswer = value instanceof DatabaseAnswer || value instanceof RelationNotFoundError ||
      (value instanceof Error && value.name === "PostgresError");
    if (!isAnswer) print(...values);
  };
}

// lite guesses the type of a filter's operand from its text, so that phone=eq.+5511… becomes a
// number and finds nothing, and it stumbles over quotes. PostgREST hands the text to Postgres, which
// types it by the column. So operands pass lite's parser sealed, in hexadecimal, where there is
// nothing to guess or to stumble over, and are unsealed in the query that it makes of them.

const SEALED = /^~([0-9a-f]*)$/;

function seal(operand: string): string {
  return `~${encodeHex(operand)}`;
}

function unsealed<Value>(value: Value): Value;
function unsealed(value: unknown): unknown {
  if (typeof value === "string") {
    const [, hex] = SEALED.exec(value) ?? [];
    return hex === undefined ? value : new TextDecoder().decode(decodeHex(hex));
  }
  if (Array.isArray(value)) return value.map(unsealed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, unsealed(part)]));
}

const NOT_A_FILTER =
  /^(select|order|limit|offset|columns|on_conflict|apikey)$|\.(order|limit|offset)$/;
const JUNCTION = /^(not\.)?(and|or)$/;

// PostgREST's grammar of filters (its ApiRequest/QueryParams). Only inside brackets can an operand
// be quoted; outside it is everything up to the end.
const QUOTED = String.raw`"(?:[^"\\]|\\.)*"(?=[,)]|$)`;
const MEMBER = String.raw`(?:${QUOTED}|[^,)]*)`;
const OPERATOR = String.raw`(?<operator>(?:not\.)?\w+(?:\(\w+\))?)\.`;
const FILTER = filter("^", "(?<members>.*)", "(?<operand>.*)$");
const FILTER_IN_JUNCTION = filter(
  String.raw`(?<field>(?:"[^"]*"|[^",().])+)\.`,
  `(?<members>${MEMBER}(?:,${MEMBER})*)`,
  String.raw`(?<operand>${QUOTED}|\{[^{}]*\}|[^,)]*)`,
);

function filter(start: string, members: string, operand: string): RegExp {
  const list = String.raw`(?<=\bin\.)\(${members}\)`;
  return new RegExp(String.raw`${start}${OPERATOR}(?:${list}|(?<!\bin\.)${operand})`, "gs");
}

/** The address of a request for a table with every operand sealed. */
export function sealOperands(address: string): string {
  const url = new URL(address);
  if (url.search === "" || url.pathname.includes("/rpc/")) return address;
  const sealed = new URLSearchParams();
  for (const [name, value] of url.searchParams) {
    if (NOT_A_FILTER.test(name)) {
      sealed.append(name, value);
      continue;
    }
    const [, path = "", field] = /^(.*?\.)??((?:not\.)?[^.]+)$/s.exec(name) ?? [, "", name];
    const isJunction = JUNCTION.test(field);
    const filters = value.replace(isJunction ? FILTER_IN_JUNCTION : FILTER, sealFilter);
    // Of several filters with one name lite keeps the last; PostgREST demands them all.
    if (!sealed.has(name)) sealed.append(name, filters);
    else sealed.append(`${path}and`, `(${field}${isJunction ? "" : "."}${filters})`);
  }
  url.search = sealed.toString();
  return url.href;
}

const SEALABLE = /^(not\.)?(eq|neq|gt|gte|lt|lte|isdistinct|like|ilike|match|imatch|in)$/;

function sealFilter(...match: unknown[]): string {
  const filter = match[0] as string;
  const { field, operator, operand, members } = match.at(-1) as Record<string, string | undefined>;
  // A list of nothing, which nothing is in, stays one.
  if (!SEALABLE.test(operator!) || members === "") return filter;
  const start = `${field === undefined ? "" : `${field}.`}${operator}.`;
  if (members !== undefined) {
    const all = members.matchAll(new RegExp(`(?<=^|,)${MEMBER}`, "gs"));
    return `${start}(${Array.from(all, ([member]) => seal(unquoted(member))).join(",")})`;
  }
  const text = field === undefined ? operand! : unquoted(operand!);
  return start + seal(operator!.endsWith("like") ? text.replaceAll("*", "%") : text);
}

function unquoted(operand: string): string {
  if (!new RegExp(`^${QUOTED}$`, "s").test(operand)) return operand;
  return operand.slice(1, -1).replace(/\\(.)/gs, "$1");
}

function asNumber(text: string): unknown {
  const number = Number(text);
  if (Number.isFinite(number) && String(number) === text) return number;
  // Every digit, also those that a JavaScript number has no room for. JSON knows no NaN.
  return /\d/.test(text) ? (JSON as unknown as RawJson).rawJSON(text) : text;
}
type RawJson = { rawJSON(text: string): unknown };

function asTimestamp(text: string): string {
  return text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");
}

/** Values in JSON as Postgres' own to_json writes them, which is what PostgREST answers. */
export const postgresTypes = {
  // Otherwise any text is taken for false, so that active=eq.true finds what is not active.
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
