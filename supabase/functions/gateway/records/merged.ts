import { rows } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import type { Resource } from "./resource.ts";

// The records of some resources can be merged. After a merge, a request with the merged record's id
// returns the remaining record.

/** The error message for a write to a merged record. */
export const MERGED =
  "This contact was merged into another contact; write to that contact instead: its id is in existing_id";

/**
 * Returns the id of the record into which this record was merged. Returns null if this record was
 * not merged.
 */
export async function survivorOf(
  { db }: Caller,
  { survivor }: Pick<Resource, "survivor">,
  id: string,
): Promise<string | null> {
  return survivor ? rows(await db.rpc(survivor, { id })) as string | null : null;
}

/**
 * Returns the error for a write to a record that was not found. The record was merged into another
 * record, or does not exist.
 */
export async function missing(
  caller: Caller,
  resource: Pick<Resource, "survivor" | "name">,
  id: string,
): Promise<ApiError> {
  const existing_id = await survivorOf(caller, resource, id);
  return existing_id === null
    ? new ApiError("not_found", `${resource.name} not found`)
    : new ApiError("conflict", MERGED, { body: { existing_id } });
}
