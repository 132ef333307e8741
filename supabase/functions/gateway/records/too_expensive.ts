import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { DatabaseError, rows } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";

/**
 * Returns the rows of a query with filters and a sort order that the caller chose. There may be no
 * index for such a query.
 *
 * @param advice what the caller should add or leave out if the query takes too long.
 * @throws ApiError `query_too_expensive` if the query exceeded the statement timeout. Otherwise
 * throws the same errors as `rows`.
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
