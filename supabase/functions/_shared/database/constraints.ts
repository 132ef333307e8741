import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { ApiError, invalidRequest } from "../errors.ts";
import { DatabaseError, rows } from "./rows.ts";

// A write finds out from the database whether it holds: a constraint decides, and no read comes before it.
// This file says what a broken constraint means to the caller, by the constraint's name in the migrations.

/**
 * The meaning that is given to the constraint or unique index that an error names; undefined when the
 * error names none of them.
 *
 * @param error as PostgREST reports it.
 * @param meanings by the names of constraints and unique indexes.
 */
export function meaningOf<Meaning>(
  error: { code?: string; message: string },
  meanings: Record<string, Meaning>,
): Meaning | undefined {
  // SQLSTATE class 23 is "integrity constraint violation". A proxy's answer has no code.
  if (!error.code?.startsWith("23")) return undefined;
  const name = Object.keys(meanings).find((name) => error.message.includes(`"${name}"`));
  return name === undefined ? undefined : meanings[name];
}

/** What a caller is told; null when the cause has gone meanwhile, so that the write may be tried again. */
type Refusal = () => ApiError | Promise<ApiError | null>;

/**
 * A field does not hold. The same is said of an id that does not exist and of one that is another
 * company's.
 */
export function wrongField(field: string, message: string): Refusal {
  return () => invalidRequest([{ field, message }]);
}

/**
 * Another row has what only one row of its kind may have.
 *
 * @param existingId finds the id of that row; null when it has gone.
 * @param message what to tell the caller, beside `existing_id`.
 */
export function conflict(existingId: () => Promise<string | null>, message: string): Refusal {
  return async () => {
    const existing_id = await existingId();
    return existing_id === null
      ? null
      : new ApiError("conflict", message, { body: { existing_id } });
  };
}

/** How often a write is tried whose conflict has gone each time the other row is looked for. */
const MAX_TRIES = 3;

/**
 * The rows of a write.
 *
 * @param write makes the query; it is made again when the cause of a conflict has gone.
 * @param meanings what each constraint that the write may break means to the caller.
 * @throws ApiError as the broken constraint means; else what `rows` throws.
 */
export async function written<Row>(
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
