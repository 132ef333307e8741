import { stringify } from "deno-std/csv/stringify.js";
import type { ContactFile, FileRow } from "./contact_file.ts";
import { REJECTION_COLUMNS } from "./contact_rows.ts";
import { OperatorError } from "./operator_error.ts";

/** The number of rejected rows to print when no file for them is given. */
const TOLD = 10;

/** The rows of a file that were not imported. */
export type RejectedRows = ReturnType<typeof rejectedRows>;

/**
 * Collects the rows that were not imported, and writes them into a file. The line number and the
 * reason come before each row. The rest of each row is unchanged, so that the file can be corrected
 * and imported.
 * @param path the path of the file to create. Without a path, the first rows are kept for printing.
 * @throws OperatorError when the file cannot be written. A file that already exists is not changed.
 */
export function rejectedRows(path: string | undefined, file: ContactFile) {
  const { separator } = file;
  const out = path === undefined ? null : openNew(path);
  const write = (cells: string[]) => {
    const bytes = new TextEncoder().encode(stringify([cells], { headers: false, separator }));
    for (let at = 0; at < bytes.length;) at += out!.writeSync(bytes.subarray(at));
  };
  if (out && file.hasMark) out.writeSync(new Uint8Array([0xef, 0xbb, 0xbf]));
  if (out) write([...REJECTION_COLUMNS, ...file.columns]);
  const told: string[] = [];
  return {
    path,
    /** Describes the first rows that were not imported. */
    told,
    add({ line, cells }: FileRow, reason: string) {
      if (out) write([String(line), reason, ...cells]);
      else if (told.length < TOLD) told.push(`Line ${line}: ${reason}.`);
    },
    [Symbol.dispose]: () => out?.close(),
  };
}

function openNew(path: string): Deno.FsFile {
  try {
    // Only the owner can read the file, because the rows contain personal data. An existing file
    // may have corrections, or be the imported file.
    return Deno.openSync(path, { write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new OperatorError(
        `${path} already exists and was not changed: name another file with --rejected.`,
      );
    }
    throw new OperatorError(`${path} cannot be written: ${(error as Error).message}.`);
  }
}
