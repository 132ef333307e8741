import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { ApiError, invalidRequest } from "../errors.ts";
import { rows } from "./rows.ts";

/**
 * The result of a database function whose error messages are written for the caller. The error code
 * PT409 means a conflict. The message of PT422 begins with the name of the invalid field.
 *
 * @throws ApiError conflict or invalid_request; the errors of `rows`.
 */
export function unlessRefused<Row>(answer: PostgrestSingleResponse<Row>): Row {
  const { error } = answer;
  // `app.claim_idempotency_key()` raises the same codes, but with a one-word message.
  if (error?.message.includes(" ")) {
    const { code, message } = error;
    if (code === "PT409") throw new ApiError("conflict", message);
    if (code === "PT422") {
      const [field, ...words] = message.split(" ");
      throw invalidRequest([{ field, message: words.join(" ") }]);
    }
  }
  return rows(answer);
}
