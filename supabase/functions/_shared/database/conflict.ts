import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { rows, violates } from "./company_db.ts";
import { ApiError } from "../errors.ts";

/**
 * The rows of a write that only one row of its kind may win.
 *
 * @param write makes the query; it is made again when the row in the way has gone meanwhile.
 * @param constraint the unique constraint or index that decides.
 * @param inTheWay finds the id of the row that was there first; null when it has gone.
 * @param message what to tell the caller, who also gets `existing_id`.
 * @throws ApiError conflict; else what `rows` throws.
 */
export async function rowsUnlessTaken<Row>(
  write: () => PromiseLike<PostgrestSingleResponse<Row>>,
  constraint: string,
  inTheWay: () => Promise<string | null>,
  message: string,
): Promise<Row> {
  for (let attempt = 1;; attempt++) {
    try {
      return rows(await write());
    } catch (error) {
      if (!violates(error, constraint)) throw error;
      const existing_id = await inTheWay();
      if (existing_id !== null) throw new ApiError("conflict", message, { body: { existing_id } });
      if (attempt === 3) throw error;
    }
  }
}
