import { preconditionFailed } from "../errors.ts";
import { DatabaseError } from "./rows.ts";

// A write that succeeds only if the record has not changed since the caller read it. The statement
// includes the version that the caller read, and the database compares the versions; see
// `app.note_change()`.

/**
 * The versions of a record that the caller accepts for a write. `*` accepts any version. Null means
 * that the write has no condition.
 */
export type AcceptedVersions = "*" | string[] | null;

/** A version that no record has. */
const NEVER = -1;

/**
 * Writes a record if its version is accepted, and returns the result of the write.
 *
 * @param write runs the statement, which must also write `column`. `write` is called again if the
 * record has another accepted version.
 * @throws ApiError precondition_failed with the current version; the errors of `write`.
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
      versions.delete(version); // a record never returns to an earlier version
      version = numberOf(present);
      if (!versions.has(version)) throw preconditionFailed(`"${present}"`);
    }
  }
}

/** The condition of a write, as arguments for a database function. */
export interface Condition {
  must_exist?: true;
  accepted_versions?: number[];
}

/**
 * If a record's version is accepted, writes the record with a database function, and returns the
 * function's result.
 *
 * @param write calls the database function, and must also pass the arguments in `condition`.
 * @throws ApiError precondition_failed, which contains the record's current version if the record
 *   exists; the errors of `write`.
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

/**
 * A version as a number; `NEVER` for a string that is not a version, such as 07, 1.0 or a number
 * that is too large.
 */
function numberOf(version: string): number {
  const number = Number(version);
  return Number.isSafeInteger(number) && String(number) === version ? number : NEVER;
}

/**
 * The current version of the record, if the database refused the statement because the record has
 * another version. Null for any other error.
 */
function presentVersion(error: unknown): string | null {
  return isRefused(error) ? error.error.details : null;
}

/** Whether the database refused a write because of its condition. */
function isRefused(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.error.code === "PT412";
}
