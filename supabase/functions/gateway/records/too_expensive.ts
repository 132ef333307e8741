import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { DatabaseError, rows } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";

/**
 * The rows of an answer to a query that the caller has chosen, and that may be one which no index serves.
 *
 * @param advice what the caller adds or leaves out when it takes too long.
 * @throws ApiError query_too_expensive when it took longer than a statement may; else what `rows` throws.
 */
export function rowsInTime<Row>(answer: PostgrestSingleResponse<Row>, advice: string): Row {
  try {
    return rows(answer);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.passing !== "slow") throw error;
    throw new ApiError(
      "query_too_expensive",
      `The query takes too long, because no index finds its records quickly; ${advice}`,
    );
  }
}
