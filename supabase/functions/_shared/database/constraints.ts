import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { ApiError, invalidRequest } from "../errors.ts";
import { DatabaseError, rows } from "./rows.ts";

// The constraints of the database decide whether a write is valid; no read comes before the write. Here a
// broken constraint gets its meaning for the caller, by its name in the migrations.

/**
 * The meaning of the constraint or unique index that an error names; undefined when the error names none of
 * them.
 *
 * @param error as PostgREST reports it.
 * @param meanings by the names of constraints and unique indexes.
 */
export function meaningOf<Meaning>(
  error: { code?: string; message: string },
  meanings: Record<string, Meaning>,
): Meaning | undefined {
  // SQLSTATE class 23 is "integrity constraint violation". The answer of a proxy has no code.
  if (!/^23/.test(error.code ?? "")) return undefined;
  const name = Object.keys(meanings).find((name) => error.message.includes(`"${name}"`));
  return name === undefined ? undefined : meanings[name];
}

/** The error for the caller; null when its cause is gone by now, so that the write can be tried again. */
type Refusal = () => ApiError | Promise<ApiError | null>;

/**
 * A field has a wrong value. The error is the same for an id that does not exist and for an id of another
 * company.
 */
export function wrongField(field: string, message: string): Refusal {
  return () => invalidRequest([{ field, message }]);
}

/**
 * Another row exists already, and the constraint allows only one.
 *
 * @param existingId finds the id of the existing row; null when it is gone.
 * @param message the error's sentence. The body also has `existing_id`.
 */
export function conflict(existingId: () => Promise<string | null>, message: string): Refusal {
  return async () => {
    const existing_id = await existingId();
    return existing_id === null
      ? null
      : new ApiError("conflict", message, { body: { existing_id } });
  };
}

/** How often a write is tried when the existing row is gone each time that its id is looked up. */
const MAX_TRIES = 3;

/**
 * Writes, and returns the written rows.
 *
 * @param write makes the query; called again when the cause of a conflict is gone.
 * @param meanings of each constraint that the write can break.
 * @throws ApiError for a broken constraint; else what `rows` throws.
 */
export async function writeRows<Row>(
  write: () => PromiseLike<PostgrestSingleResponse<Row>>,
  meanings: Record<string, Refusal>,
): Promise<Row> {
  for (let tries = 1;; tries++) {
    try {
      return rows(await write());
    } catch (error) {
      const refusal = error instanceof DatabaseError && meaningOf(error.error, meanings);
      const known = refusal ? await refusal() : null;
      if (known) throw known;
      if (!refusal || tries === MAX_TRIES) throw error;
    }
  }
}
