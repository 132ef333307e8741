import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { DatabaseError, rows } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";

/**
 * The rows of a query with filters and a sort that the caller chose. There may be no index for such
 * a query.
 *
 * @param advice what the caller should add or leave out when the query takes too long.
 * @throws ApiError query_too_expensive when it took longer than a statement may; otherwise the
 *   errors of `rows`.
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
