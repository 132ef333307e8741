/** What every command takes. */
export interface Printing {
  json?: boolean;
}

/** The option behind `Printing`, as the parser takes it. */
export const JSON_OPTION = ["--json", "print one JSON value and nothing else"] as const;

/** Prints what a command found or did: the value itself as JSON, or in words. */
export function print({ json }: Printing, value: unknown, words: () => string) {
  console.log(json ? JSON.stringify(value, null, 2) : words());
}

/**
 * Rows under headings, each column as wide as its widest cell.
 * @param columns what each heading shows of a row.
 * @param none the sentence for no rows.
 */
export function table<Row>(
  rows: Row[],
  columns: Record<string, (row: Row) => string>,
  none: string,
): string {
  if (rows.length === 0) return none;
  const lines = [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((cell) => printable(cell(row)))),
  ];
  const widths = lines[0].map((_, at) => Math.max(...lines.map((line) => widthOf(line[at]))));
  const pad = (text: string, at: number) => text + " ".repeat(widths[at] - widthOf(text));
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}

// In a terminal these take the room of two letters.
const WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;

function widthOf(text: string): number {
  const letters = new Intl.Segmenter().segment(text); // as a person counts them
  return Array.from(letters).reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}

/** A moment of the database to the minute, or what it means that there is none. */
export function moment(timestamp: string | null, none: string): string {
  if (timestamp === null) return none;
  return `${new Date(timestamp).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * Text on one line. Names are written by customers, and a terminal obeys control characters and
 * turns around what follows a bidirectional one.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ");
}
