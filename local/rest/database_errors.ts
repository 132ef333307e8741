import { RelationNotFoundError } from "@supabase/lite";
import { ConnectionLost, NO_CONNECTION } from "./connection_pool.ts";

// A correction of @supabase/lite, like those in corrections.ts: the status and the body of a
// response to a database error.

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
  [/^/, 400],
];

/**
 * Postgres' message for a role that does not exist. Since version 13.0.1, PostgREST treats this
 * error as an invalid token.
 */
const UNKNOWN_ROLE = /^role.*does not exist$/s;

/** An error in the form that lite passes through unchanged. */
export class DatabaseAnswer {
  readonly code = "PGRST";
  readonly message: string;
  readonly detail: string;

  constructor(
    status: number,
    body: Partial<Record<"code" | "message" | "details" | "hint", string>>,
  ) {
    const { code = "", message = "", details = null, hint = null } = body;
    this.message = JSON.stringify({ code, message, details, hint });
    this.detail = JSON.stringify({ status, headers: {} });
  }
}

/**
 * lite returns its own 500 for several SQLSTATEs (such as 23514, P0001 and 57014). If the error has
 * the form of PostgREST's `raise sqlstate 'PGRST'`, lite responds with the status and body from
 * that error. So this function gives lite an error of this form, with PostgREST's status and body.
 * @param knowsSchema false when an earlier request found no database. PostgREST then tries to read
 *   the schema again, and until that succeeds, it responds to every request with PGRST002.
 */
export function asPostgrest(error: unknown, knowsSchema: boolean): unknown {
  if (error instanceof ConnectionLost) return answerToLoss(error);
  const { code, message, detail, hint } = error as Record<string, string | undefined>;
  if (typeof code !== "string") return error;
  if (NO_CONNECTION.test(code)) {
    if (!knowsSchema) return new DatabaseAnswer(503, NO_SCHEMA);
    return new DatabaseAnswer(503, {
      code: "PGRST000",
      message: "Database connection error. Retrying the connection.",
      details: message,
    });
  }
  if (!/^[0-9A-Z]{5}$/.test(code)) return error;
  if (code === "PGRST" || code === "42501" || code.startsWith("PT")) return error;
  return new DatabaseAnswer(statusOf(code, message!), { code, message, details: detail, hint });
}

const NO_SCHEMA = {
  code: "PGRST002",
  message: "Could not query the database for the schema cache. Retrying.",
};

function statusOf(code: string, message: string): number {
  if (code === "22023" && UNKNOWN_ROLE.test(message)) return 401;
  if (code === "21000" && message.endsWith(WITHOUT_WHERE)) return 400;
  return STATUS_BY_SQLSTATE.find(([pattern]) => pattern.test(code))![1];
}

/** The end of safeupdate's message. */
const WITHOUT_WHERE = "requires a WHERE clause";

/**
 * A hosted project's response to an update or delete of all rows. Supabase loads safeupdate for the
 * Data API. safeupdate refuses such a statement before it checks permissions.
 */
export function changeOfAllRows(statement: string): DatabaseAnswer {
  const message = `${statement.toUpperCase()} ${WITHOUT_WHERE}`;
  return new DatabaseAnswer(400, { code: "21000", message });
}

/**
 * PostgREST responds to a lost connection in one of three ways.
 *
 * - If the connection broke without a message from the server, the error comes from libpq, which
 *   leaves the fields for the code and the message empty. PostgREST's table of statuses has no row
 *   for an error without an SQLSTATE. So the response is a **400 with an empty code and an empty
 *   message**. This response occurs during a statement (measured on PostgREST 12 to 16), at `begin`,
 *   and at `commit`. After a commit, it is unknown whether the change was made.
 * - If the server gave a reason before it closed the connection, at `begin` or at `commit`, the
 *   response contains the server's message (57P01).
 * - If the server gave a reason within the transaction, PostgREST tries to roll back. The rollback
 *   can no longer be sent, and PostgREST responds with that failure (hasql-transaction,
 *   `tryTransaction`: only the body is followed by ABORT).
 */
function answerToLoss({ isWithinTransaction, lastWords }: ConnectionLost): DatabaseAnswer {
  if (!lastWords) return new DatabaseAnswer(400, {});
  if (!isWithinTransaction) {
    return new DatabaseAnswer(statusOf(lastWords.code, lastWords.message), lastWords);
  }
  return new DatabaseAnswer(503, {
    code: "PGRST001",
    message: "Database client error. Retrying the connection.",
    details: "no connection to the server\n",
  });
}

/**
 * Stops lite from printing the errors that it returns. PostgREST does not print them either,
 * because a caller's mistake is not a server event.
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
