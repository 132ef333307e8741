import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import type { Config } from "../_shared/config.ts";
import { type CompanyDb, companyDb } from "../_shared/database/company_db.ts";
import { rows } from "../_shared/database/rows.ts";
import { ApiError, invalidRequest } from "../_shared/errors.ts";
import { settingsTokenSource } from "../_shared/key/token.ts";
import type { Origin } from "../_shared/log.ts";

/**
 * A signed-in user. The function `settings` passes the user's JWT on without checking it. The
 * database decides who the user is and what the user may do.
 */
export interface Person {
  /** The database as the user sees it. */
  db: CompanyDb;
  /**
   * Returns the user as a manager, if the database confirms that the user is an owner or admin of
   * the company.
   *
   * @throws ApiError not_signed_in or not_allowed; DatabaseError.
   */
  managing(companyId: string): Promise<Manager>;
}

/** An owner or admin of a company. */
export interface Manager {
  id: string;
  /** The database client for values that only this function may store on behalf of the user. */
  db: CompanyDb;
}

/** A longer string is not a JWT from Supabase Auth. */
const MAX_JWT = 8_192;

/**
 * The user whose JWT is the request's bearer token.
 *
 * @throws ApiError not_signed_in when the request has no value in the format of a JWT.
 */
export function personOf(config: Config, headers: Headers, { requestId }: Origin): Person {
  const [, jwt] = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(
    (headers.get("Authorization") ?? "").slice(0, MAX_JWT),
  ) ?? [];
  if (jwt === undefined) throw notSignedIn();
  const db = companyDb(config, () => Promise.resolve(jwt)).forRequest(requestId);
  return {
    db,
    async managing(company_id) {
      const answer = await db.rpc("managing_person", { company_id });
      const claims = answered(answer) as { sub: string }; // the jsonb from managing_person()
      const address = clientAddress(headers);
      const person = { ...claims, ...(address && { client_address: address }) };
      return {
        id: claims.sub,
        db: companyDb(config, settingsTokenSource(config.signingKey, person)).forRequest(requestId),
      };
    },
  };
}

function notSignedIn(): ApiError {
  return new ApiError(
    "not_signed_in",
    "No one is signed in, or the session has ended; sign in again",
  );
}

/**
 * Returns the rows of a database response. The statement was sent with the user's own JWT.
 *
 * @throws ApiError not_signed_in or not_allowed, and the errors of `answeredOnBehalf`.
 */
export function answered<Row>(answer: PostgrestSingleResponse<Row>): Row {
  const { status, error } = answer;
  // The session has ended, or the Data API does not accept the JWT.
  if (status === 401 || /^PGRST30\d$/.test(error?.code ?? "")) throw notSignedIn();
  // The JWT does not belong to a user: its role may not call the database function.
  if (error?.code === "42501") throw new ApiError("not_allowed", "Only users may do this");
  return answeredOnBehalf(answer);
}

/**
 * Returns the rows of a database response. The statement was sent with a token of this edge
 * function, not with the user's own JWT. If the Data API does not accept this token, a new sign-in
 * does not help, so `not_signed_in` would be the wrong error.
 *
 * @throws ApiError with the database's own message; DatabaseError for any other error.
 */
export function answeredOnBehalf<Row>(answer: PostgrestSingleResponse<Row>): Row {
  if (answer.error === null) return answer.data;
  const { code, message } = answer.error;
  if (code === "PT401") throw notSignedIn(); // the session has ended
  if (code === "PT403") throw new ApiError("not_allowed", message);
  if (code === "PT404") throw new ApiError("not_found", message);
  if (code === "PT409") throw new ApiError("conflict", message);
  if (code === "PT429") throw new ApiError("too_many_requests", message);
  if (code === "PT422") {
    const [field, ...words] = message.split(" ");
    throw invalidRequest([{ field, message: words.join(" ") }]);
  }
  return rows<Row>(answer);
}

/**
 * The user's IP address, from the headers that the platform writes; see `app.client_address()` in
 * the database.
 */
function clientAddress(headers: Headers): string | null {
  return headers.get("CF-Connecting-IP") ?? headers.get("X-Real-IP") ??
    headers.get("X-Forwarded-For")?.split(",").at(-1)?.trim() ?? null;
}
