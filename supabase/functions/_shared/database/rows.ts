import type { PostgrestError, PostgrestSingleResponse } from "@supabase/supabase-js";
import {
  ApiError,
  idempotencyInProgress,
  idempotencyKeyReused,
  invalidApiKey,
  queryTooLong,
  tooManyRequests,
} from "../errors.ts";
import { refusedKeyFacts } from "./refused_key.ts";

/** A temporary cause of failure: the same request can succeed later. */
export type PassingTrouble =
  /**
   * The database does not respond: it timed out, cannot be reached, is starting, or is shutting
   * down.
   */
  | "away"
  /** Another transaction holds a lock on a row. */
  | "locked"
  /** The statement exceeded the statement timeout. */
  | "slow"
  /** The database accepts no changes: it is a standby that is taking over, or its disk is full. */
  | "read_only"
  /** The database has no free memory or no free connection. */
  | "full"
  /**
   * The Data API rejects a token because of its timestamps: the clock of the service or of the
   * database is wrong.
   */
  | "clock";

/**
 * The SQLSTATEs of temporary faults, from the error code table in the PostgreSQL manual. After
 * 40001 and 40P01, PostgREST itself retries the transaction, so a function receives these codes
 * only from a proxy.
 */
const PASSING: [RegExp, PassingTrouble][] = [
  [/^(08...|57P0[123])$/, "away"],
  [/^(55P03|40P01|40001)$/, "locked"],
  [/^57014$/, "slow"],
  [/^(25006|53100)$/, "read_only"],
  [/^53...$/, "full"],
];

/** An unexpected database error. Its message is for the log, never for a caller. */
export class DatabaseError extends Error {
  override name = "DatabaseError";
  /** The code as PostgREST reports it; empty in a proxy's response. */
  readonly error: Pick<PostgrestError, "code" | "message" | "details" | "hint">;
  /** The temporary cause of the error; null when repeating the request does not help. */
  readonly passing: PassingTrouble | null;

  constructor(readonly status: number, error: PostgrestError) {
    const { code, message, details, hint } = error;
    // A proxy's response may have no code, or a number instead of a code.
    const text = typeof code === "string" ? code : "";
    super(`${text || status}: ${message}`);
    this.error = { code: text, message, details, hint };
    // If a connection breaks during the statement, PostgREST returns a 400 with an empty code.
    const isBroken = status === 400 && code === "";
    this.passing = isBroken ? "away" : passingTrouble(status, this.error);
  }

  /**
   * Whether the statement may have been committed although it failed: there was no response, or the
   * response reports a lost connection. After any other error of Postgres (with an SQLSTATE) or of
   * PostgREST (PGRST…), nothing was committed.
   */
  get mayBeCommitted(): boolean {
    const { code } = this.error;
    const isDecided = /^(PGRST\d+|(?=.*\d)[0-9A-Z]{5})$/.test(code);
    return !isDecided || /^(08|57P0[12]|40003|PGRST00[01])/.test(code);
  }

  /**
   * Facts for the log. The details of a constraint violation are left out, because they contain the
   * row.
   */
  logFacts() {
    const { code, message, details, hint } = this.error;
    const isConstraint = code.startsWith("23");
    const database = { code, message, hint, ...(!isConstraint && { details }) };
    return { status: this.status, database };
  }
}

function passingTrouble(
  status: number,
  { code, message }: { code: string; message: string },
): PassingTrouble | null {
  const [, trouble] = PASSING.find(([codes]) => codes.test(code)) ?? [];
  if (trouble) return trouble;
  // PostgREST: "JWT expired", "JWT not yet valid", "JWT issued at future". The token was created a
  // moment earlier, so a clock is wrong.
  if (/^PGRST30[13]$/.test(code) && /^JWT (expired|not yet|issued)/.test(message)) return "clock";
  // The statuses: no response (0); 429, 502, 52x and 544 from a proxy; 503 and 504 from the gateway
  // and the connection pool.
  const isAway = status === 0 || status === 429 || (status >= 502 && status <= 504) ||
    (status >= 520 && status <= 524) || status === 544;
  return isAway ? "away" : null;
}

/**
 * The error code for a statement that did not run, because its company has too many statements in
 * progress.
 */
export const TOO_MANY_REQUESTS = "CRM429";

/** The error code for a statement that did not run, because its URL would be too long. */
export const QUERY_TOO_LONG = "CRM414";

/**
 * Returns the rows of a database response.
 *
 * @throws ApiError when the database refused the key, its scope or the Idempotency-Key; when a
 * record does not exist; when the company has too many statements in progress; or when the query is
 * too long. DatabaseError for any other error.
 */
export function rows<Row>(answer: PostgrestSingleResponse<Row>): Row {
  if (answer.error === null) return answer.data;
  const { code, message, details } = answer.error;
  // `app.company_id()` raises these two errors. Their messages are for the caller, and their
  // details are for the log.
  if (code === "PT401") throw invalidApiKey(refusedKeyFacts(details));
  if (code === "PT403") {
    throw new ApiError("insufficient_scope", message, { logFacts: refusedKeyFacts(details) });
  }
  // Functions such as `app.keep_archived()` raise this error, with a message for the caller.
  if (code === "PT404") throw new ApiError("not_found", message);
  // `app.claim_idempotency_key()` raises these two errors.
  if (code === "PT409" && message === "idempotency_in_progress") throw idempotencyInProgress();
  if (code === "PT422" && message === "idempotency_key_reused") throw idempotencyKeyReused();
  if (code === TOO_MANY_REQUESTS) throw tooManyRequests();
  if (code === QUERY_TOO_LONG) throw queryTooLong();
  throw new DatabaseError(answer.status, answer.error);
}
