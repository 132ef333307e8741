import { ApiError } from "../../_shared/errors.ts";
import { REPLAYED } from "../../_shared/http/idempotency.ts";

// Reads the results of database functions that write a record and also change other records. For
// example, moving a pipeline changes the positions of other pipelines.

/** The result of a request that adds a record. */
interface Added<Row> {
  /** Whether the request repeats an earlier request with the same `Idempotency-Key`. */
  replayed: boolean;
  /** Null if a repeated request finds that the record has been deleted. */
  data: Row | null;
}

/**
 * Returns the record that a POST added, with the response headers.
 * @param name the name of the kind of record.
 */
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
 * Returns the record that a PATCH changed.
 * @param name the name of the kind of record.
 * @param refusals the error for each result except `written` and `not_found`.
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

/**
 * Throws an error if a DELETE did not archive the record.
 * @param name the name of the kind of record.
 * @param refusals the error for each result except `archived` and `not_found`.
 */
export function requireArchived(
  name: string,
  result: string,
  refusals: Record<string, () => ApiError>,
): void {
  if (result === "archived") return;
  changedRecord(name, { result }, refusals);
}
