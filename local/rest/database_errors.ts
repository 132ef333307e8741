import { RelationNotFoundError } from "@supabase/lite";
import { ConnectionLost, NO_CONNECTION } from "./connection_pool.ts";

// A correction of @supabase/lite, as in corrections.ts: the status and the body of an error of the database.

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

/** Postgres' message for a role that does not exist; from 13.0.1 on, PostgREST takes it for a wrong token. */
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
 * lite answers several SQLSTATEs (such as 23514, P0001 and 57014) with a 500 of its own. In the form
 * of PostgREST's `raise sqlstate 'PGRST'`, lite gives them the status and body that PostgREST gives.
 */
export function asPostgrest(error: unknown): unknown {
  if (error instanceof ConnectionLost) return answerToLoss(error);
  const { code, message, detail, hint } = error as Record<string, string | undefined>;
  if (typeof code !== "string") return error;
  if (NO_CONNECTION.test(code)) {
    return new DatabaseAnswer(503, {
      code: "PGRST000",
      message: "Database connection error. Retrying the connection.",
      details: message,
    });
  }
  if (!/^[0-9A-Z]{5}$/.test(code)) return error;
  if (code === "PGRST" || code === "42501" || code.startsWith("PT")) return error;
  const status = code === "22023" && UNKNOWN_ROLE.test(message!) ? 401 : statusOf(code);
  return new DatabaseAnswer(status, { code, message, details: detail, hint });
}

function statusOf(code: string): number {
  return STATUS_BY_SQLSTATE.find(([pattern]) => pattern.test(code))![1];
}

/**
 * PostgREST has three answers to a connection that is lost.
 *
 * - When it just broke, hasql takes code and message from fields that libpq leaves out of its own errors. An
 *   error without an SQLSTATE falls through PostgREST's table of statuses, so it is a **400 with an empty code
 *   and an empty message**: within a statement (measured on PostgREST 12 to 16), at the begin, and at the
 *   commit, after which nobody knows whether the change was made.
 * - At the begin and at the commit, when the server said why it ends the connection: its words (57P01).
 * - Within the transaction after such words, PostgREST rolls back. The rollback cannot be sent any more, and
 *   that failure is what it answers (hasql-transaction, `tryTransaction`: only the body is followed by ABORT).
 */
function answerToLoss({ isWithinTransaction, lastWords }: ConnectionLost): DatabaseAnswer {
  if (!lastWords) return new DatabaseAnswer(400, {});
  if (!isWithinTransaction) return new DatabaseAnswer(statusOf(lastWords.code), lastWords);
  return new DatabaseAnswer(503, {
    code: "PGRST001",
    message: "Database client error. Retrying the connection.",
    details: "no connection to the server\n",
  });
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
