import { DatabaseError } from "./database/company_db.ts";

/** The request that a line belongs to. */
interface Request {
  var: { requestId: string };
  req: { method: string; path: string };
}

/**
 * Writes one JSON line for the operator, under the request id that the caller was given. It holds
 * what the answer must not: the database's words and the stack. Keys and bodies are never in it.
 */
export function logFailure(
  c: Request,
  event: string,
  error: unknown,
  facts: Record<string, unknown> = {},
) {
  console.error(JSON.stringify({
    level: "error",
    event,
    request_id: c.var.requestId,
    method: c.req.method,
    path: c.req.path,
    ...facts,
    error: error instanceof Error ? error.stack ?? error.message : String(error),
    ...(error instanceof DatabaseError && { status: error.status, database: withoutRow(error) }),
  }));
}

/** Of a broken constraint, Postgres quotes the row in the details. */
function withoutRow({ error: { code, message, details, hint } }: DatabaseError) {
  return { code, message, hint, ...(!code?.startsWith("23") && { details }) };
}

/** Writes one JSON line about something that happened as it should, or that is another's failure. */
export function logEvent(c: Request, event: string, facts: Record<string, unknown>) {
  console.info(
    JSON.stringify({ level: "info", event, request_id: c.var.requestId, ...facts }),
  );
}
