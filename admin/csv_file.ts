import { parse } from "deno-std/csv/parse.js";
import { OperatorError } from "./operator_error.ts";

/** A record of a CSV file: one row, which may have several lines. */
export interface CsvRecord {
  /** Of the file, from 1 on: where the record begins. */
  line: number;
  /** The record as it stands in the file. */
  text: string;
}

/** Far longer than a row of contacts is. A quote that nothing closes ends here, and not with the memory. */
const MAX_RECORD = 1024 * 1024;

const SEPARATORS = [",", ";", "\t"];

/** What separates the cells of a file, by its header: a comma, else a semicolon or a tab when it has more of those. */
export function separatorOf(header: string): string {
  const unquoted = header.replace(/"(?:[^"]|"")*"/g, "");
  const counts = SEPARATORS.map((separator) => unquoted.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))];
}

/** The cells of a record; null when its quotes make no sense, as in `a"b"` or `"a"b`. */
export function cellsOf({ text }: CsvRecord, separator: string): string[] | null {
  try {
    const options = { skipFirstRow: false, separator };
    return (parse(text, options) as string[][])[0] ?? [];
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The text of a file in UTF-8, piece by piece. @throws OperatorError when it has other bytes. */
export async function* textsOf(path: string): AsyncGenerator<string> {
  using file = await Deno.open(path);
  const decoder = new TextDecoder("utf-8", { fatal: true }); // drops a byte order mark
  const buffer = new Uint8Array(64 * 1024);
  let line = 1;
  for (let isEnd = false; !isEnd;) {
    const bytes = buffer.subarray(0, await file.read(buffer) ?? 0);
    isEnd = bytes.length === 0;
    let text: string;
    try {
      text = decoder.decode(bytes, { stream: !isEnd });
    } catch {
      line += linesBeforeFault(bytes);
      throw new OperatorError(
        `${path} is not in UTF-8 (line ${line}): save it as CSV in UTF-8. Spreadsheets offer that as a format or an ` +
          "encoding.",
      );
    }
    if (text !== "") yield text;
    line += text.split("\n").length - 1;
  }
}

/** How many lines of these bytes end before the first that are no UTF-8. A character may have begun before them. */
function linesBeforeFault(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => byte < 0x80 || byte > 0xbf);
  const [before, ...after] = new TextDecoder().decode(bytes.subarray(Math.max(start, 0)))
    .split("\ufffd");
  return after.length === 0 ? 0 : before.split("\n").length - 1;
}

/**
 * The records of a CSV file (RFC 4180), those without a character left out. A quote counts at the beginning of a cell
 * only, so that one wrong quote spoils one record.
 *
 * @param texts the file piece by piece. Only a piece and a record are in memory at a time.
 * @param separator of the cells.
 * @throws OperatorError when a quote is never closed, a row is far too long, or lines do not end as they do today.
 */
export async function* recordsOf(
  texts: AsyncIterable<string>,
  separator: string,
): AsyncGenerator<CsvRecord> {
  let line = 0;
  let open: CsvRecord | null = null;
  for await (const text of linesOf(texts)) {
    line++;
    const isOpen: boolean = endsInQuotes(text, separator, open !== null);
    const record: CsvRecord = open
      ? { line: open.line, text: `${open.text}\n${text}` }
      : { line, text };
    if (line === 1 && text.includes("\r")) throw oldLines();
    if (record.text.length > MAX_RECORD) {
      throw isOpen || open ? notClosed(record.line) : tooLong(record.line);
    }
    open = isOpen ? record : null;
    if (!isOpen && record.text !== "") yield record;
  }
  if (open) throw notClosed(open.line);
}

function notClosed(line: number): OperatorError {
  return new OperatorError(
    `Nothing closes a quote in the row that begins in line ${line}: put a second one at the end of its cell, and ` +
      "write a quote that is part of a text twice.",
  );
}

function oldLines(): OperatorError {
  return new OperatorError(
    "The lines of the file end with a carriage return alone, as those of old Macs: save it as CSV in UTF-8.",
  );
}

function tooLong(line: number): OperatorError {
  return new OperatorError(
    `The row in line ${line} has more than ${MAX_RECORD} characters: this is no file of contacts, or a line break is ` +
      "missing in it.",
  );
}

/** The lines of a text, without the characters that end them. */
async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
    // One line of a whole file must not be put together again and again.
    if (rest.length > MAX_RECORD) break;
  }
  if (rest !== "") yield rest;
}

/** Whether a line ends within a quoted cell, which the next line goes on. @param isWithin whether it begins in one. */
function endsInQuotes(line: string, separator: string, isWithin: boolean): boolean {
  let at = 0;
  while (true) {
    if (!isWithin && line[at] === '"') {
      isWithin = true;
      at++;
    }
    if (isWithin) {
      const quote = line.indexOf('"', at);
      if (quote < 0) return true;
      at = quote + 1;
      if (line[at] === '"') { // one quote of the text
        at++;
        continue;
      }
      isWithin = false;
    }
    const next = line.indexOf(separator, at);
    if (next < 0) return false;
    at = next + separator.length;
  }
}
