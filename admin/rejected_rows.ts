import { stringify } from "deno-std/csv/stringify.js";
import type { ContactFile, FileRow } from "./contact_file.ts";
import { REJECTION_COLUMNS } from "./contact_rows.ts";
import { OperatorError } from "./operator_error.ts";

/** So many are told where no file takes them. */
const TOLD = 10;

/** The rows of a file that were not imported. */
export type RejectedRows = ReturnType<typeof rejectedRows>;

/**
 * Takes the rows that were not imported, as they come, and writes them into a file, each after its line and the reason.
 * What is behind those two is as it was, so that the file can be mended and imported.
 *
 * @param path of the file, which is written anew; without one, the first rows are kept to be told.
 * @throws OperatorError when the file cannot be written, or is the one that is imported.
 */
export function rejectedRows(path: string | undefined, file: ContactFile) {
  const { separator } = file;
  const out = path === undefined ? null : openNew(path, file.path);
  const write = (cells: string[]) => {
    const bytes = new TextEncoder().encode(stringify([cells], { headers: false, separator }));
    for (let at = 0; at < bytes.length;) at += out!.writeSync(bytes.subarray(at));
  };
  if (out && file.hasMark) out.writeSync(new Uint8Array([0xef, 0xbb, 0xbf]));
  if (out) write([...REJECTION_COLUMNS, ...file.columns]);
  const told: string[] = [];
  return {
    path,
    /** The first of them, in words. */
    told,
    add({ line, cells }: FileRow, reason: string) {
      if (out) write([String(line), reason, ...cells]);
      else if (told.length < TOLD) told.push(`Line ${line}: ${reason}.`);
    },
    [Symbol.dispose]: () => out?.close(),
  };
}

function openNew(path: string, imported: string): Deno.FsFile {
  try {
    if (isSameFile(path, imported)) {
      throw new OperatorError("--rejected must name another file than the one that is imported.");
    }
    // Whom it is about is personal.
    return Deno.openSync(path, { write: true, create: true, truncate: true, mode: 0o600 });
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${path} cannot be written: ${(error as Error).message}.`);
  }
}

function isSameFile(path: string, other: string): boolean {
  try {
    return Deno.realPathSync(path) === Deno.realPathSync(other);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
