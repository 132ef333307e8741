import { preconditionFailed } from "../errors.ts";
import { DatabaseError } from "./rows.ts";

// A write on condition that a record has not changed since it was read. The version that the caller read is
// written, and the database compares it in the same statement; see app.note_change().

/** The versions of a record on which a write may build; `*`: any, null: there is no condition. */
export type AcceptedVersions = "*" | string[] | null;

/** No record has it. */
const NEVER = -1;

/**
 * Writes a record if its version is an accepted one, and returns what the write returns.
 *
 * @param write makes the statement, with this column beside the others. Called again when the record turns out to
 *   have another one of the accepted versions.
 * @throws ApiError precondition_failed with the present version; whatever `write` throws.
 */
export async function writeIfMatch<Result>(
  accepted: AcceptedVersions,
  write: (column: { version?: number }) => Promise<Result>,
): Promise<Result> {
  if (accepted === null || accepted === "*") return await write({});
  const versions = new Set(accepted.map(numberOf));
  let [version = NEVER] = versions;
  for (;;) {
    try {
      return await write({ version });
    } catch (error) {
      const present = presentVersion(error);
      if (present === null) throw error;
      versions.delete(version); // a version never comes back
      version = numberOf(present);
      if (!versions.has(version)) throw preconditionFailed(`"${present}"`);
    }
  }
}

/** The condition of a write, as a function of the database takes it. */
export interface Condition {
  must_exist?: true;
  accepted_versions?: number[];
}

/**
 * Writes a record by a function of the database if its version is an accepted one, and returns what the function
 * answers.
 *
 * @param write calls the function, with these arguments beside the others.
 * @throws ApiError precondition_failed with the present version if there is such a record; whatever `write` throws.
 */
export async function writeOnCondition<Result>(
  accepted: AcceptedVersions,
  write: (condition: Condition) => Promise<Result>,
): Promise<Result> {
  try {
    if (accepted === null) return await write({});
    if (accepted === "*") return await write({ must_exist: true });
    return await write({ must_exist: true, accepted_versions: accepted.map(numberOf) });
  } catch (error) {
    if (!isRefused(error)) throw error;
    const present = error.error.details;
    throw preconditionFailed(present ? `"${present}"` : undefined);
  }
}

/** A version as a number. What is not written as a version is: 07, 1.0 and what a number cannot hold; is NEVER. */
function numberOf(version: string): number {
  const number = Number(version);
  return Number.isSafeInteger(number) && String(number) === version ? number : NEVER;
}

/** The version of a record that has another one than the statement wrote; null for any other error. */
function presentVersion(error: unknown): string | null {
  return isRefused(error) ? error.error.details : null;
}

/** Whether the database has refused a write because of its condition. */
function isRefused(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.error.code === "PT412";
}
