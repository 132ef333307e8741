/** The options that every command accepts. */
export interface Printing {
  json?: boolean;
}

/** The option of `Printing`, as arguments of commander's `option`. */
export const JSON_OPTION = ["--json", "print one JSON value and nothing else"] as const;

/** Prints a command's result: the value as JSON, or readable text. */
export function print({ json }: Printing, value: unknown, text: () => string) {
  console.log(json ? JSON.stringify(value, null, 2) : text());
}

/**
 * Formats rows as a table in which each column is as wide as its widest cell.
 * @param columns for each heading, a function that returns a row's cell.
 * @param none the sentence to show when there are no rows.
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

// Terminals show these characters two columns wide.
const WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]/u;

function widthOf(text: string): number {
  const graphemes = new Intl.Segmenter().segment(text); // an emoji of several code points counts as one character
  return Array.from(graphemes).reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}

/**
 * Formats a database timestamp to the minute.
 * @param none the text for null.
 */
export function moment(timestamp: string | null, none: string): string {
  if (timestamp === null) return none;
  return `${new Date(timestamp).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * Makes text safe for printing on one line. Customers choose names, and a control character or a
 * bidirectional text mark could change the terminal's output.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ");
}
