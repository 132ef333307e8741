import type { CompanyDb } from "../database/company_db.ts";
import { rows } from "../database/rows.ts";
import { invalidRequest } from "../errors.ts";
import type { ChangedRecord } from "./operation.ts";

// Many programs read a record, change a field and send the whole record back. The fields that the
// operation does not write are then unchanged, so the service can ignore them. If a request sends
// such fields, the service first reads the record, to check that the fields are unchanged.

/**
 * Refuses fields that differ from the record, because the operation does not write them.
 *
 * @param id null when the operation creates the record.
 * @param sentBack the fields that the operation does not write.
 * @returns the version that was sent back, which is the only version that the write accepts; null
 * if no version was sent back or the record does not exist.
 * @throws ApiError invalid_request that names each changed field.
 */
export async function requireUnchanged(
  db: CompanyDb,
  of_table: ChangedRecord["table"],
  id: string | null,
  sentBack: Record<string, unknown>,
): Promise<string | null> {
  const refused = (names: string[], message: string) =>
    invalidRequest(names.map((field) => ({ field, message })));
  const names = Object.keys(sentBack);
  if (id === null) throw refused(names, "is read-only");
  const record = rows(await db.rpc("record_to_change", { of_table, id })) as
    | Record<string, unknown>
    | null;
  // If the record does not exist, the write itself reports this.
  if (record === null) return null;
  const shown: Record<string, unknown> = { ...record, merged_into: id };
  const changed = names.filter((name) => !isSame(sentBack[name], shown[name]));
  if (changed.length > 0) {
    throw refused(changed, "is read-only, and the record has another value; leave it out");
  }
  return "version" in sentBack ? String(sentBack.version) : null;
}

/**
 * Whether two values are the same. Programs write a time in their own format, often only to the
 * millisecond.
 */
function isSame(sent: unknown, stored: unknown): boolean {
  if (sent === stored || (typeof stored === "number" && sent === String(stored))) return true;
  if (typeof sent !== "string" || typeof stored !== "string") return false;
  const areTimes = [sent, stored].every((each) => /^\d{4}-\d\d-\d\dT/.test(each));
  return areTimes && Date.parse(sent) === Date.parse(stored);
}
