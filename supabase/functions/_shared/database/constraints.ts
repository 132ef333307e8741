import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { ApiError, invalidRequest } from "../errors.ts";
import { unlessRefused } from "./refusals.ts";
import { DatabaseError } from "./rows.ts";

// Database constraints decide whether a write is valid. Nothing is read before the write. This code
// translates a constraint violation into an error for the caller, by the constraint's name in the
// migrations.

/**
 * The meaning of the constraint or unique index that an error names; undefined when `meanings` has
 * no entry for the error.
 *
 * @param error as PostgREST reports it.
 * @param meanings the meanings, keyed by the names of constraints and unique indexes.
 */
export function meaningOf<Meaning>(
  error: { code?: string; message: string },
  meanings: Record<string, Meaning>,
): Meaning | undefined {
  // SQLSTATE class 23 is "integrity constraint violation". A proxy's response has no code.
  if (!/^23/.test(error.code ?? "")) return undefined;
  const name = Object.keys(meanings).find((name) => error.message.includes(`"${name}"`));
  return name === undefined ? undefined : meanings[name];
}

/**
 * The error for the caller. Null when the cause of the refusal no longer exists, so the write can
 * be tried again.
 */
type Refusal = () => ApiError | Promise<ApiError | null>;

/**
 * A field has an invalid value. The error is the same for an id that does not exist and for an id
 * of another company.
 */
export function wrongField(field: string, message: string): Refusal {
  return () => invalidRequest([{ field, message }]);
}

/**
 * The write needs a second row where the constraint allows only one, and that row already exists.
 *
 * @param existingId returns the id of the existing row, or null when that row no longer exists.
 * @param message the error message. The response body also has `existing_id`.
 */
export function conflict(existingId: () => Promise<string | null>, message: string): Refusal {
  return async () => {
    const existing_id = await existingId();
    return existing_id === null
      ? null
      : new ApiError("conflict", message, { body: { existing_id } });
  };
}

/**
 * The maximum number of attempts to write. A write is repeated if the existing row disappears
 * before its id is found.
 */
const MAX_TRIES = 3;

/**
 * Runs a write and returns the written rows.
 *
 * @param write builds the query. `write` is called again when the cause of a conflict no longer
 *   exists.
 * @param meanings the meaning of each constraint that the write can violate.
 * @throws ApiError for a constraint violation; otherwise the errors of `unlessRefused`.
 */
export async function writeRows<Row>(
  write: () => PromiseLike<PostgrestSingleResponse<Row>>,
  meanings: Record<string, Refusal>,
): Promise<Row> {
  for (let tries = 1;; tries++) {
    try {
      return unlessRefused(await write());
    } catch (error) {
      const refusal = error instanceof DatabaseError && meaningOf(error.error, meanings);
      const known = refusal ? await refusal() : null;
      if (known) throw known;
      if (!refusal || tries === MAX_TRIES) throw error;
    }
  }
}
