import type { PostgrestError, PostgrestSingleResponse } from "@supabase/supabase-js";
import { ApiError, invalidApiKey } from "../errors.ts";
import { refusedKeyFacts } from "./refused_key.ts";

/** An unexpected error of the database. Its text is for the log, never for a caller. */
export class DatabaseError extends Error {
  override name = "DatabaseError";
  /** As PostgREST reports it; the code is empty in an answer of a proxy. */
  readonly error: Pick<PostgrestError, "code" | "message" | "details" | "hint">;

  constructor(readonly status: number, { code, message, details, hint }: PostgrestError) {
    // A proxy's answer may have no code, or a number in its place.
    const text = typeof code === "string" ? code : "";
    super(`${text || status}: ${message}`);
    this.error = { code: text, message, details, hint };
  }

  /**
   * Whether the cause is likely to pass by itself: no answer in time; no connection at the gateway, the pool
   * or Postgres (503 and 504, a proxy's 502, 52x and 544); Postgres is shutting down or starting up.
   */
  get isUnavailable(): boolean {
    const { status, error } = this;
    if (/^57P0[123]$/.test(error.code)) return true;
    return status === 0 || (status >= 502 && status <= 504) || (status >= 520 && status <= 524) ||
      status === 544;
  }

  /**
   * Whether the statement may have been committed although it failed: there was no answer, or the answer
   * reports a lost connection. After any other error of Postgres (with an SQLSTATE) or of PostgREST (PGRST…),
   * nothing was committed.
   */
  get mayBeCommitted(): boolean {
    const { code } = this.error;
    const isDecided = /^(PGRST\d+|(?=.*\d)[0-9A-Z]{5})$/.test(code ?? "");
    return !isDecided || /^(08|57P0[12]|40003|PGRST00[01])/.test(code);
  }

  /** Facts for the log. The details of a broken constraint are left out: Postgres quotes the row in them. */
  logFacts() {
    const { code, message, details, hint } = this.error;
    const isConstraint = code.startsWith("23");
    const database = { code, message, hint, ...(!isConstraint && { details }) };
    return { status: this.status, database };
  }
}

/**
 * The rows of an answer of the database.
 * @throws ApiError when the database refused the key or its scope; DatabaseError for any other error.
 */
export function rows<Row>(answer: PostgrestSingleResponse<Row>): Row {
  if (answer.error === null) return answer.data;
  const { code, message, details } = answer.error;
  // Raised by app.company_id(); these two messages are written for the caller, the details for the log.
  if (code === "PT401") throw invalidApiKey(refusedKeyFacts(details));
  if (code === "PT403") {
    throw new ApiError("insufficient_scope", message, { logFacts: refusedKeyFacts(details) });
  }
  throw new DatabaseError(answer.status, answer.error);
}
