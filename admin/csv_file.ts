import { parse } from "deno-std/csv/parse.js";
import { OperatorError } from "./operator_error.ts";

/** A record of a CSV file: one row, which may span several lines. */
export interface CsvRecord {
  /** The line number, counted from 1, at which the record begins. */
  line: number;
  /** The record's text as it is in the file. */
  text: string;
}

/**
 * Every contact row is much shorter than this limit. The limit stops an unclosed quote from filling
 * the memory.
 */
const MAX_RECORD = 1024 * 1024;

const SEPARATORS = [",", ";", "\t"];

/**
 * The separator of the cells in a file: the comma, semicolon or tab, whichever occurs most often in
 * the header.
 */
export function separatorOf(header: string): string {
  const unquoted = header.replace(/"(?:[^"]|"")*"/g, "");
  const counts = SEPARATORS.map((separator) => unquoted.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))];
}

/** The cells of a record; null when a quote is misplaced, as in `a"b"` or `"a"b`. */
export function cellsOf({ text }: CsvRecord, separator: string): string[] | null {
  try {
    const options = { skipFirstRow: false, separator };
    return (parse(text, options) as string[][])[0] ?? [];
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Reads the text of a UTF-8 file, chunk by chunk.
 * @throws OperatorError when the file is not in UTF-8.
 */
export async function* textsOf(path: string): AsyncGenerator<string> {
  using file = await Deno.open(path);
  const decoder = new TextDecoder("utf-8", { fatal: true }); // the decoder removes a byte order mark
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

/**
 * The number of lines of a chunk that end before its first invalid UTF-8 bytes. If the invalid
 * character began in the previous chunk, this chunk may have no invalid bytes of its own. The
 * number is then 0.
 */
function linesBeforeFault(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => byte < 0x80 || byte > 0xbf);
  const [before, ...after] = new TextDecoder().decode(bytes.subarray(Math.max(start, 0)))
    .split("\ufffd");
  return after.length === 0 ? 0 : before.split("\n").length - 1;
}

/**
 * The records of a CSV file (RFC 4180), without empty records. Only a quote at the beginning of a
 * cell opens a quoted cell, so a misplaced quote affects only one record.
 * @param texts the file's text in chunks. Only one chunk and one record are in memory at a time.
 * @param separator the character between two cells.
 * @throws OperatorError when a quote is never closed, a row is far too long, or lines end with a
 *   carriage return only.
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
    `A quote in the row that begins in line ${line} is never closed: put a second quote at the ` +
      "end of its cell, and write a quote that is part of a text twice.",
  );
}

function oldLines(): OperatorError {
  return new OperatorError(
    "The lines of the file end with only a carriage return, as on old Macs: save it as CSV in UTF-8.",
  );
}

function tooLong(line: number): OperatorError {
  return new OperatorError(
    `The row in line ${line} has more than ${MAX_RECORD} characters: this is not a file of ` +
      "contacts, or a line break is missing.",
  );
}

/** The lines of a text, without their line endings. */
async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
    // `recordsOf` refuses a record of this length, so the rest of the file is not read. Otherwise,
    // reading a large file that is one line would take too long.
    if (rest.length > MAX_RECORD) break;
  }
  if (rest !== "") yield rest;
}

/**
 * Whether a line ends within a quoted cell, which the next line continues.
 * @param isWithin whether the line begins within a quoted cell.
 */
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
      if (line[at] === '"') { // a doubled quote represents one quote character
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
