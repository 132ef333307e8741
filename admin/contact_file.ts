import { cellsOf, type CsvRecord, recordsOf, separatorOf, textsOf } from "./csv_file.ts";
import { contactReader, type ContactRow, REJECTION_COLUMNS } from "./contact_rows.ts";
import { OperatorError } from "./operator_error.ts";

/** A file of contacts. Every row can be parsed, but its values may still be invalid. */
export interface ContactFile {
  /** The character that separates the file's cells. */
  separator: string;
  /**
   * Whether the file begins with a byte order mark, by which some spreadsheet programs recognise
   * UTF-8.
   */
  hasMark: boolean;
  /** The number of rows below the header, excluding empty rows. */
  count: number;
  /** The names of the file's columns, without the extra columns of a rejection file. */
  columns: string[];
  /** The rows of the file, read on demand. */
  rows(): AsyncGenerator<FileRow>;
}

/** A row of a file of contacts: its contact or its error, and its place in the file. */
export type FileRow = ContactRow & {
  line: number;
  /** The row's cells as they are in the file, without the extra columns of a rejection file. */
  cells: string[];
  /** The length of the row in the file, in characters. */
  length: number;
};

/**
 * Opens a file of contacts and reads it completely once, so that a file with an unreadable row is
 * not partly imported.
 * @throws OperatorError when the file does not exist, or is not CSV in UTF-8 with a header of
 *   contact fields.
 */
export async function openContactFile(path: string): Promise<ContactFile> {
  const hasMark = await requireFile(path);
  const separator = separatorOf(await firstLine(path));
  const records = () => recordsOf(textsOf(path), separator);
  let header: string[] | null = null;
  let count = 0;
  for await (const record of records()) {
    if (!header) header = headerOf(record, separator);
    else if (!isEmpty(record, separator)) count++;
  }
  if (!header) {
    throw new OperatorError(`${path} is empty: its first line must name the fields of a contact.`);
  }
  if (count === 0) throw new OperatorError(`${path} has a header but no rows.`);
  const names = header;
  const read = contactReader(names);
  const isOfContact = (_: string, at: number) => !REJECTION_COLUMNS.includes(names[at]);
  return {
    separator,
    hasMark,
    count,
    columns: names.filter(isOfContact),
    async *rows() {
      let isHeader = true;
      for await (const record of records()) {
        const isRow = !isHeader && !isEmpty(record, separator);
        isHeader = false;
        if (!isRow) continue;
        const cells = cellsOf(record, separator);
        const { line, text: { length } } = record;
        yield cells
          ? { ...read(cells), line, length, cells: cells.filter(isOfContact) }
          : { reason: WRONG_QUOTES, line, length, cells: [record.text] };
      }
    },
  };
}

const WRONG_QUOTES =
  "A quote is inside a cell: put the whole cell in quotes, and write each quote within it twice";

/**
 * Whether a row is empty. When a user clears a row, a spreadsheet program still writes the
 * separators of the cells.
 */
function isEmpty(record: CsvRecord, separator: string): boolean {
  if (!/^[\s",;]*$/.test(record.text)) return false; // this check suffices for nearly all rows, and does not parse their cells
  return cellsOf(record, separator)?.every((cell) => cell.trim() === "") ?? false;
}

function headerOf(record: CsvRecord, separator: string): string[] {
  const cells = cellsOf(record, separator);
  if (!cells) throw new OperatorError(`The header, in line ${record.line}: ${WRONG_QUOTES}.`);
  const names = cells.map((name) => name.trim());
  contactReader(names); // throws an error if a column name is invalid
  return names;
}

async function firstLine(path: string): Promise<string> {
  for await (const { text } of recordsOf(textsOf(path), "\n")) return text;
  return "";
}

/**
 * Checks that a file can be read. Returns whether the file begins with a byte order mark.
 * @throws OperatorError when the file does not exist or cannot be read.
 */
async function requireFile(path: string): Promise<boolean> {
  try {
    const { isFile } = await Deno.stat(path);
    if (!isFile) throw new OperatorError(`${path} is not a file.`);
    using file = await Deno.open(path);
    const start = new Uint8Array(3);
    return await file.read(start) === 3 && start.join() === "239,187,191";
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (error instanceof Deno.errors.NotFound) {
      throw new OperatorError(`The file ${path} does not exist.`);
    }
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}.`);
  }
}
