import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Config } from "../config.ts";
import { DatabaseError, type PassingTrouble } from "../database/rows.ts";
import { ApiError, RETRY_SOON } from "../errors.ts";
import { logFrequentFailure, type Origin } from "../log.ts";
import type { ApiEnv } from "./env.ts";
import { logRefusedKey } from "./refused_keys.ts";

/** The parts of an error that each function can choose. */
export interface ErrorAnswers {
  /** Properties that every error body has. */
  always: Record<string, unknown>;
  /**
   * The end of the message about a temporary database fault. This text explains what the caller
   * should do.
   *
   * @param request the method and the path of the request.
   * @param mayBeDone whether a change may have been made.
   * @param isRepeatable whether the request has an Idempotency-Key.
   */
  whenUnavailable(
    request: { method: string; path: string },
    mayBeDone: boolean,
    isRepeatable: boolean,
  ): string;
}

const DEFAULTS: ErrorAnswers = {
  always: {},
  whenUnavailable(request, mayBeDone, isRepeatable) {
    if (request.method === "GET" || request.method === "HEAD") return "try again";
    if (!mayBeDone) return "nothing was changed, so try again";
    return isRepeatable
      ? "the change may have been made, so repeat the request with the same Idempotency-Key: the " +
        "change is made only once"
      : "check whether the change was made before you repeat the request";
  },
};

/**
 * The error handler of a function. Returns `{ error, code, request_id }` and the properties that
 * the error adds. If the URL of the guide for callers is configured, `doc_url` links to the page
 * that explains the error.
 *
 * If an error is not about the key, the key is checked before the error is sent. A caller without a
 * valid key or without the scope receives only the error about the key. An error that is not an
 * `ApiError` is logged, and returned as `database_unavailable` or `internal`. A refused key is
 * logged too.
 */
export function respondToError(
  { docsUrl }: Pick<Config, "docsUrl">,
  errors: Partial<ErrorAnswers> = {},
) {
  const { always, whenUnavailable } = { ...DEFAULTS, ...errors };
  return async (error: Error, c: Context<ApiEnv>): Promise<Response> => {
    const answer = await forCaller(error, c, whenUnavailable);
    c.set("refusal", answer);
    const { code, message, status, parts } = answer;
    if (isAboutKey(answer)) logRefusedKey(c.var.origin, answer);
    const body = { ...always, error: message, code, request_id: c.var.origin.requestId };
    const details = parts.details && { details: parts.details };
    const explained = docsUrl && { doc_url: `${docsUrl}/errors.html#${code}` };
    return c.json(
      { ...body, ...details, ...parts.body, ...explained },
      status as ContentfulStatusCode,
      parts.headers,
    );
  };
}

async function forCaller(
  error: Error,
  c: Context<ApiEnv>,
  whenUnavailable: ErrorAnswers["whenUnavailable"],
): Promise<ApiError> {
  const { origin, caller, isRepeatable = false } = c.var;
  const isKnown = error instanceof ApiError;
  if (!isKnown) logTrouble(origin, error);
  const trouble = passingTrouble(error);
  if (trouble) {
    const whatToDo = whenUnavailable(c.req, mayBeDone(error), isRepeatable);
    return databaseUnavailable(trouble, whatToDo);
  }
  const answer = isKnown ? error : new ApiError("internal", "Internal error");
  if (isAboutKey(answer) || NEEDS_NO_JUDGEMENT.has(answer.code)) return answer;
  try {
    await caller?.judge();
    return answer;
  } catch (failure) {
    if (failure instanceof ApiError) return failure;
    if (isKnown) logTrouble(origin, failure);
    const trouble = passingTrouble(failure);
    if (!trouble) return new ApiError("internal", "Internal error");
    // After an unexpected failure, it is unknown which part of the request was completed. The
    // function's own text could then be wrong.
    const whatToDo = isKnown ? whenUnavailable : DEFAULTS.whenUnavailable;
    return databaseUnavailable(trouble, whatToDo(c.req, mayBeDone(error), isRepeatable));
  }
}

/**
 * After these errors, the key is not checked again, because the check needs a database statement.
 */
const NEEDS_NO_JUDGEMENT = new Set<string>([
  // A caller with too many requests must not cause another statement.
  "too_many_requests",
  // The statement that found these errors had already checked the key. Many of these errors may
  // occur in a short time.
  "idempotency_in_progress",
  "idempotency_key_reused",
]);

function isAboutKey({ status }: ApiError): boolean {
  return status === 401 || status === 403;
}

function passingTrouble(error: unknown): PassingTrouble | null {
  return error instanceof DatabaseError ? error.passing : null;
}

/** Each cause of a database fault has its own lines, so that a frequent cause hides no other. */
function logTrouble(origin: Origin, error: unknown) {
  const trouble = passingTrouble(error);
  const ofDatabase = trouble === "clock" ? "clock_trouble" : "database_unavailable";
  const event = trouble ? ofDatabase : "request_failed";
  logFrequentFailure(origin, event, error, {}, trouble ?? event);
}

/** Whether a change may have been made before this error. */
function mayBeDone(error: Error): boolean {
  if (error instanceof DatabaseError) return error.mayBeCommitted;
  return !(error instanceof ApiError);
}

/** The first part of each message about a temporary fault. */
const SENTENCES: Record<PassingTrouble, string> = {
  away: "The database does not answer",
  locked: "Another change of the record is in progress",
  slow: "The database took too long",
  read_only: "The database accepts no changes at the moment",
  full: "The database has no room for this request at the moment",
  clock: "The clocks of the service and of its database differ",
};

/**
 * The database has a temporary fault.
 *
 * @param whatToDo the end of the message: what the caller should do next.
 */
export function databaseUnavailable(
  trouble: PassingTrouble,
  whatToDo: string,
  body?: Record<string, unknown>,
): ApiError {
  return new ApiError("database_unavailable", `${SENTENCES[trouble]}; ${whatToDo}`, {
    body,
    headers: RETRY_SOON,
  });
}
