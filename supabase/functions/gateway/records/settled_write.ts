import { ApiError } from "../../_shared/errors.ts";
import { REPLAYED } from "../../_shared/http/idempotency.ts";

// What the functions of the database answer that write a record in one line with others, such as a pipeline whose
// position moves others.

/** The answer to an addition. */
interface Added<Row> {
  /** Whether it repeats an earlier one by its Idempotency-Key. */
  replayed: boolean;
  /** Null when a repeat finds the record deleted. */
  data: Row | null;
}

/** The record that a POST has added, and the headers of its answer. @param name of the kind of record. */
export function addedRecord<Row>(name: string, added: unknown) {
  const { replayed, data } = added as Added<Row>;
  if (data === null) {
    throw new ApiError(
      "not_found",
      `${name} not found: the first request with this Idempotency-Key added it, and it has been deleted since`,
    );
  }
  return { data, headers: replayed ? REPLAYED : undefined };
}

/**
 * The record that a PATCH has changed.
 * @param name of the kind of record.
 * @param refusals what is said for each result but `written` and `not_found`.
 */
export function changedRecord<Row>(
  name: string,
  changed: unknown,
  refusals: Record<string, () => ApiError>,
): Row {
  const { result, data } = changed as { result: string; data?: Row };
  if (data) return data;
  throw result === "not_found"
    ? new ApiError("not_found", `${name} not found`)
    : refusals[result]();
}

/** Checks that a DELETE has archived its record. Its parameters are as those of `changedRecord`. */
export function requireArchived(
  name: string,
  result: string,
  refusals: Record<string, () => ApiError>,
): void {
  if (result === "archived") return;
  changedRecord(name, { result }, refusals);
}
