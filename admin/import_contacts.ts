import type { PostgrestSingleResponse } from "@supabase/supabase-js";
import { DatabaseError } from "../supabase/functions/_shared/database/rows.ts";
import type { Json } from "../supabase/functions/_shared/database/types.ts";
import { pause } from "../supabase/functions/_shared/pause.ts";
import { CUSTOM_FIELDS_TOO_LARGE } from "../supabase/functions/gateway/custom_fields.ts";
import { TOO_MANY_TAGS_AFTERWARDS } from "../supabase/functions/gateway/resources/contacts/input.ts";
import { noCompany } from "./companies.ts";
import type { ContactFile, FileRow } from "./contact_file.ts";
import { OperatorError } from "./operator_error.ts";
import { progress } from "./progress.ts";
import type { Project } from "./project.ts";
import type { RejectedRows } from "./rejected_rows.ts";

/** How the import handles a contact that already exists. */
export type OnConflict = "update" | "merge" | "keep" | "fail";

/** Where and how the import writes rows. */
export interface Writing {
  company: string;
  onConflict: OnConflict;
  dryRun: boolean;
}

/** The results of the rows that have been processed so far. */
export interface Imported {
  rows: number;
  created: number;
  /** The number of rows whose contact already existed. */
  known: number;
  rejected: number;
}

/** The database's result for one contact. */
type Result =
  | { status: 200 | 201 | 304; id: string }
  | { status: 409; existing_id: string; field: string }
  | { status: 422; constraint: string };

/** The number of rows in a batch, which is also the API's limit for a batch. */
const BATCH = 500;
/** The maximum number of characters in a batch, because custom fields may be large. */
const BATCH_CHARACTERS = 512 * 1024;
/**
 * The maximum number of attempts for a batch that the database rolls back for a temporary reason.
 */
const MAX_TRIES = 4;
const PAUSE_MS = 250;

/**
 * Writes the contacts of a file in batches, and shows the progress. Contacts that were written are
 * kept, even if the import fails later.
 * @param stopping an abort signal that makes the current batch the last one.
 * @throws OperatorError when the import is stopped, and the errors of `Project.rows`. The error
 *   message contains the number of the last imported line.
 */
export async function importContacts(
  project: Project,
  file: ContactFile,
  writing: Writing,
  rejected: RejectedRows,
  stopping: AbortSignal,
): Promise<Imported> {
  const imported: Imported = { rows: 0, created: 0, known: 0, rejected: 0 };
  const tell = progress();
  let line = 0;
  try {
    for await (const batch of batchesOf(file.rows())) {
      if (stopping.aborted) throw new OperatorError("The import was interrupted.");
      const results = await write(project, batch, writing);
      for (const row of batch) {
        settle(row, "item" in row ? results.shift() : undefined, imported, rejected);
      }
      line = batch.at(-1)!.line;
      tell(`${count(imported.rows)} of ${count(file.count)} rows: ${inWords(imported)}`);
    }
    return imported;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(`${error.message} ${howFar(imported, line, writing, rejected)}`);
  } finally {
    tell("");
  }
}

async function* batchesOf(rows: AsyncIterable<FileRow>): AsyncGenerator<FileRow[]> {
  let batch: FileRow[] = [];
  let length = 0;
  for await (const row of rows) {
    if (batch.length === BATCH || (batch.length > 0 && length + row.length > BATCH_CHARACTERS)) {
      yield batch;
      [batch, length] = [[], 0];
    }
    batch.push(row);
    length += row.length;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Writes the valid rows of a batch, in one transaction. Returns one result for each valid row, in
 * the same order.
 */
async function write(
  { db, rows }: Project,
  batch: FileRow[],
  { company, onConflict, dryRun }: Writing,
): Promise<Result[]> {
  const items = batch.flatMap((row) => "item" in row ? [row.item as Json] : []);
  if (items.length === 0) return [];
  let answer: PostgrestSingleResponse<Json>;
  for (let tries = 1;; tries++) {
    answer = await db.rpc("import_contacts", {
      company_id: company,
      items,
      on_conflict: onConflict,
      dry_run: dryRun,
    });
    if (tries === MAX_TRIES || !passes(answer)) break;
    await pause(PAUSE_MS * tries);
  }
  return rows(answer, { PT404: noCompany(company) }) as Result[];
}

/**
 * Whether the database rolled back a call for a temporary reason, such as a row that another
 * transaction has locked.
 */
function passes({ error, status }: PostgrestSingleResponse<Json>): boolean {
  if (error === null) return false;
  const failure = new DatabaseError(status, error);
  return failure.passing !== null && !failure.mayBeCommitted;
}

/** Counts a row. A row that could not be read has no result. */
function settle(
  row: FileRow,
  result: Result | undefined,
  imported: Imported,
  rejected: RejectedRows,
) {
  imported.rows++;
  const reason = "reason" in row ? row.reason : reasonOf(result!);
  if (reason !== null) {
    imported.rejected++;
    rejected.add(row, reason);
  } else if (result!.status === 201) imported.created++;
  else imported.known++;
}

/** The reason for each constraint of the database that a valid row may violate. */
const REFUSALS: Record<string, string> = {
  contacts_custom_fields_check: `custom_fields ${CUSTOM_FIELDS_TOO_LARGE}`,
  contacts_tags_check: `tags ${TOO_MANY_TAGS_AFTERWARDS}`,
};

/** Why a contact was not written; null when it was written. */
function reasonOf(result: Result): string | null {
  switch (result.status) {
    case 200:
    case 201:
    case 304:
      return null;
    case 409:
      return result.field === "external_id"
        ? `Another contact has this external_id: ${result.existing_id}`
        : `A contact with this phone, or another spelling of it, already exists: ${result.existing_id}`;
    case 422:
      return REFUSALS[result.constraint] ??
        `The database refuses these values (${result.constraint})`;
  }
}

/** Summarises the results of the rows: "490 created, 8 already there, 2 rejected". */
export function inWords({ created, known, rejected }: Imported): string {
  return `${count(created)} created, ${count(known)} already there, ${count(rejected)} rejected`;
}

/** Formats a number with thousands separators. */
export function count(number: number): string {
  return number.toLocaleString("en");
}

function howFar(
  imported: Imported,
  line: number,
  { dryRun, onConflict }: Writing,
  { path }: RejectedRows,
): string {
  if (dryRun) return "It was a dry run: nothing was written.";
  const safe = path === undefined
    ? "It is safe to run the command again"
    : "It is safe to run the command again with another file for --rejected";
  if (imported.rows === 0) return `It is not certain whether rows were imported. ${safe}.`;
  return `The file was imported up to line ${line}: ${count(imported.rows)} rows, ` +
    `${inWords(imported)}. ${safe}: ` +
    (onConflict === "fail"
      ? "it rejects the imported rows, and writes the rest."
      : "it finds the imported contacts again, and creates none twice.");
}
