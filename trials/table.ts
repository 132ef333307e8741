import { markdownTable } from "markdown-table";

/**
 * A column of a table: its title, and its cell in each row. A number is shown with three digits.
 */
export type Column<Row> = [title: string, cell: (row: Row) => string | number];

/** The first column is text, the others are numbers. An empty column is left out. */
export function table<Row>(rows: Row[], columns: Column<Row>[]): string {
  const filled = columns
    .map(([title, cell]) => [title, ...rows.map(cell).map(digits)])
    .filter(([, ...cells]) => cells.some((cell) => cell !== ""));
  const lines = filled[0].map((_, index) => filled.map((column) => column[index]));
  return markdownTable(lines, { align: filled.map((_, index) => index === 0 ? null : "right") });
}

/** A figure as a multiple of an earlier figure, if there is one. */
export function times(before: number | undefined, now: number): string {
  return before ? (now / before).toFixed(2) : "";
}

/**
 * Formats a number with three digits, or as a dash when the system does not provide the number.
 * Text remains unchanged.
 */
export function digits(value: number | string): string {
  if (typeof value === "string") return value;
  if (Number.isNaN(value)) return "–";
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
