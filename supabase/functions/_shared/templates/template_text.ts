import type { Pieces } from "./catalogue_entry.ts";

const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

/**
 * A text of a template, with its distinct variables in the order in which a send lists their
 * values.
 */
export interface TemplateText {
  /** The variable names as the channel lists them: "1", "2" … or words. */
  names: string[];
  pieces: Pieces;
}

/** The names of the placeholders in a text, in the order of their first appearance. */
export function placeholders(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACEHOLDER), ([, name]) => plainName(name)))];
}

/**
 * Splits a text into its parts and variables. The variables of a POSITIONAL template are in numeric
 * order. The variables of a NAMED template are in the order of their first appearance.
 */
export function templateText(text: string, format: "POSITIONAL" | "NAMED"): TemplateText {
  const names = placeholders(text);
  if (format === "POSITIONAL") names.sort(byNumber);
  const pieces: Pieces = [];
  let until = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > until) pieces.push(text.slice(until, match.index));
    pieces.push(names.indexOf(plainName(match[1])));
    until = match.index + match[0].length;
  }
  if (until < text.length) pieces.push(text.slice(until));
  return { names, pieces };
}

/** Whether a placeholder is a number, as all placeholders of a POSITIONAL template are. */
export function isNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

/** A number without leading zeros: `{{01}}` and `{{1}}` are the same variable. */
function plainName(name: string): string {
  return isNumber(name) ? name.replace(/^0+(?=\d)/, "") : name;
}

/** Numbers come first, in numeric order. Names keep their order. */
function byNumber(one: string, other: string): number {
  const [first, second] = [one, other].map((name) => isNumber(name) ? Number(name) : Infinity);
  return first === second ? 0 : first - second;
}
