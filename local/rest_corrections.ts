// @supabase/lite is an alpha. Where it does not do what PostgREST does, this file makes it: each
// correction says what PostgREST does, and tests/local/rest_corrections_test.ts fails for each one
// that has become unnecessary. Nothing else in this repository knows about these differences.

import { sql } from "kysely";

/** What lite's Postgres connection has inside, as far as it is corrected. Not part of its types. */
export interface LiteConnection {
  rlsState: "unknown" | "active" | "inactive";
  introspect(options?: { useCache?: boolean }): Promise<unknown>;
  clearSchemaCache(): Promise<void>;
  normalizeDbError(error: unknown): unknown;
  applyJwtSessionContext(transaction: unknown, vars: SessionVars): Promise<void>;
  applyRpcRequestGucs(transaction: unknown, request: RpcRequest): Promise<void>;
  close(): Promise<void>;
}
interface SessionVars {
  auth?: { role?: string; uid?: string; jwt?: unknown };
}
interface RpcRequest {
  method: string;
  path: string;
  requestHeaders?: Record<string, string>;
}

/**
 * Corrects a connection in place.
 * @param privileged a connection that sees every table; lite reads information_schema, which shows
 *   a role only what it may use, while PostgREST reads the catalogue as authenticator.
 */
export function correctConnection(connection: LiteConnection, privileged: LiteConnection) {
  connection.introspect = (options) => privileged.introspect(options);
  connection.clearSchemaCache = () => privileged.clearSchemaCache();

  // In the state "unknown" lite grants everything on every table to anon and authenticated at its
  // first request. PostgREST grants nothing, and with those grants no permission test means anything.
  connection.rlsState = "active";

  connection.normalizeDbError = asPostgrest;

  // PostgREST sets the role and the claims in one statement; lite uses up to ten.
  connection.applyJwtSessionContext = async (transaction, { auth }) => {
    const role = auth?.role ?? "anon";
    const claims = auth?.jwt ?? { role };
    await setConfig(transaction, { "request.jwt.claims": JSON.stringify(claims), role });
  };
  connection.applyRpcRequestGucs = async (transaction, { method, path, requestHeaders }) => {
    await setConfig(transaction, {
      "response.status": "",
      "response.headers": "",
      "request.method": method,
      "request.path": path,
      "request.headers": JSON.stringify(requestHeaders ?? {}),
    });
  };
}

async function setConfig(transaction: unknown, settings: Record<string, string>) {
  const calls = Object.entries(settings).map(([name, value]) =>
    sql`set_config(${name}, ${value}, true)`
  );
  await sql`select ${sql.join(calls)}`.execute(transaction as never);
}

/** PostgREST's HTTP status for an SQLSTATE (docs: "HTTP Status Codes"), first match wins. */
const STATUS_BY_SQLSTATE: [RegExp, number][] = [
  [/^(23503|23505)$/, 409],
  [/^25006$/, 405],
  [/^42883$/, 404],
  [/^42P01$/, 404],
  [/^42P17$/, 500],
  [/^53400$/, 500],
  [/^53/, 503],
  [/^08/, 503],
  [/^P0001$/, 400],
  [/^(28|0L|0P)/, 403],
  [/^(09|25|2D|38|39|3B|40|54|55|57|58|F0|HV|P0|XX)/, 500],
  [/./, 400],
];

/** An error of the database as lite passes it through unchanged; lite logs it, see `quietly`. */
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
    const isAnswer = value instanceof DatabaseAnswer ||
      (value instanceof Error && value.name === "PostgresError");
    if (!isAnswer) print(...values);
  };
}

// lite guesses the type of a filter's operand from its text, so that phone=eq.+5511… becomes a
// number and finds nothing. PostgREST hands the text to Postgres, which types it by the column.
// A double-quoted operand is never guessed at.

const COMPARISONS = "eq|neq|gt|gte|lt|lte|isdistinct";
const OPERATION = new RegExp(`^((?:not\\.)?)(${COMPARISONS})\\.([\\s\\S]*)$`);
const MEMBERSHIP = /^((?:not\.)?in\.)\(([\s\S]*)\)$/;
const LOGIC = /^((?:not\.)?(?:and|or))(\([\s\S]*\))$/;
const NOT_A_FILTER =
  /^(select|order|limit|offset|columns|on_conflict|apikey)$|\.(order|limit|offset)$/;

/** The address of a request for a table with every operand quoted. */
export function quoteOperands(address: string): string {
  const url = new URL(address);
  if (url.search === "" || url.pathname.includes("/rpc/")) return address;
  const quoted = new URLSearchParams();
  for (const [name, value] of url.searchParams) {
    if (NOT_A_FILTER.test(name)) quoted.append(name, value);
    else if (/^(.*\.)?(not\.)?(and|or)$/.test(name)) quoted.append(name, quoteLogic(value));
    else quoted.append(name, quoteOperation(value));
  }
  url.search = quoted.toString();
  return url.href;
}

function quoteOperation(operation: string): string {
  const [, not, operator, operand] = OPERATION.exec(operation) ?? [];
  if (operator) return `${not}${operator}.${quote(operand)}`;
  const [, membership, members] = MEMBERSHIP.exec(operation) ?? [];
  if (membership) return `${membership}(${atTopLevel(members).map(quote).join(",")})`;
  return operation;
}

function quoteLogic(group: string): string {
  const terms = atTopLevel(group.slice(1, -1)).map((term) => {
    const [, junction, inner] = LOGIC.exec(term) ?? [];
    if (junction) return junction + quoteLogic(inner);
    const dot = term.indexOf(".");
    return `${term.slice(0, dot)}.${quoteOperation(term.slice(dot + 1))}`;
  });
  return `(${terms.join(",")})`;
}

function quote(operand: string): string {
  return /^".*"$/s.test(operand) ? operand : `"${operand.replace(/(["\\])/g, "\\$1")}"`;
}

/** The parts of a list at its commas, leaving those inside quotes and brackets alone. */
function atTopLevel(list: string): string[] {
  const parts: string[] = [""];
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < list.length; at++) {
    const character = list[at];
    if (quoted && character === "\\") {
      parts[parts.length - 1] += character + (list[++at] ?? "");
      continue;
    }
    if (character === '"') quoted = !quoted;
    else if (!quoted && "({".includes(character)) depth++;
    else if (!quoted && ")}".includes(character)) depth--;
    if (character === "," && depth === 0 && !quoted) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/** Values in JSON as Postgres' own to_json writes them, which is what PostgREST answers. */
export const postgresTypes = {
  timestamptz: {
    to: 1184,
    from: [1184],
    serialize: (value: unknown) => value,
    parse: (text: string) => text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"),
  },
  numeric: { to: 1700, from: [1700], serialize: String, parse: Number },
};
