import { ApiError } from "../../_shared/errors.ts";
import { REPLAYED } from "../../_shared/http/idempotency.ts";

// The results of database functions that write a record and also change other records. Moving a
// pipeline, for example, changes the positions of other pipelines.

/** The answer to a request that adds a record. */
interface Added<Row> {
  /** Whether the request repeats an earlier one with the same Idempotency-Key. */
  replayed: boolean;
  /** Null when a repeat finds that the record has been deleted. */
  data: Row | null;
}

/**
 * The record that a POST added, and the headers of its answer. @param name of the kind of record.
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
 * The record that a PATCH changed.
 * @param name of the kind of record.
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
 * Throws unless a DELETE archived its record. The function has the same parameters as
 * `changedRecord`.
 */
export function requireArchived(
  name: string,
  result: string,
  refusals: Record<string, () => ApiError>,
): void {
  if (result === "archived") return;
  changedRecord(name, { result }, refusals);
}
