import type * as z from "zod";
import { nearestOf } from "../supabase/functions/_shared/http/suggestion.ts";
import { judged } from "../supabase/functions/_shared/http/validate.ts";
import { ContactToPut } from "../supabase/functions/gateway/resources/contact_writes.ts";
import { OperatorError } from "./operator_error.ts";

/** A contact as the API takes it from whoever creates or updates it by its phone. */
export type ContactItem = z.output<typeof ContactToPut>;

/** What a row of a file says: a contact, or why it is none. */
export type ContactRow = { item: ContactItem } | { reason: string };

/** Columns that a file of rejected rows has besides its contacts'. They say nothing of a contact. */
export const REJECTION_COLUMNS = ["line", "reason"];

/** How the cells of a field are read. A wrong cell stays as it is, and the API's schema says what is wrong. */
const FIELDS: Record<Exclude<keyof ContactItem, "custom_fields">, (cell: string) => unknown> = {
  phone: verbatim,
  name: verbatim,
  email: verbatim,
  temperature: verbatim,
  tags: (cell) => cell.split(";").map((tag) => tag.trim()).filter((tag) => tag !== ""),
  source: verbatim,
  job_title: verbatim,
  empresa: verbatim,
  do_not_contact: trueOrFalse,
  is_active: trueOrFalse,
};
const CUSTOM = "custom_fields.";
const COLUMNS = [...Object.keys(FIELDS), `${CUSTOM}<key>`];

function verbatim(cell: string): string {
  return cell;
}

/** Spreadsheets write TRUE and FALSE. */
function trueOrFalse(cell: string): boolean | string {
  return { true: true, false: false }[cell.toLowerCase()] ?? cell;
}

/**
 * Reads the header of a file of contacts. The answer reads its rows, by the API's own schema of a contact that is put.
 * @throws OperatorError when a column is not one of a contact, is there twice, or the phone is missing.
 */
export function contactReader(header: string[]): (cells: string[]) => ContactRow {
  const columns = header.map((name) => name.trim());
  requireContactColumns(columns);
  return (cells) => {
    if (cells.length !== columns.length) {
      return { reason: `The row has ${cells.length} cells, and the header ${columns.length}` };
    }
    const given = columns.map((name, at) => [name, cells[at].trim()])
      .filter(([name, cell]) => cell !== "" && !REJECTION_COLUMNS.includes(name));
    const custom = given.filter(([name]) => name.startsWith(CUSTOM))
      .map(([name, cell]) => [name.slice(CUSTOM.length), cell]);
    const fields = given.filter(([name]) => !name.startsWith(CUSTOM))
      .map(([name, cell]) => [name, FIELDS[name as keyof typeof FIELDS](cell)]);
    // An entry of any name becomes a member, also __proto__.
    if (custom.length > 0) fields.push(["custom_fields", Object.fromEntries(custom)]);
    return read(Object.fromEntries(fields));
  };
}

function read(fields: Record<string, unknown>): ContactRow {
  const result = judged(ContactToPut, fields, () => "is not a field of a contact");
  if ("parsed" in result) return { item: result.parsed };
  const reasons = result.wrong.map(({ field, message }) =>
    field === "phone" && typeof fields.phone === "string"
      ? `phone ${spoiled(fields.phone) ?? message}`
      : `${field} ${message}`
  );
  return { reason: reasons.join("; ") };
}

/** What a spreadsheet has made of a phone that it took for a number. The phone is never guessed from it. */
function spoiled(phone: string): string | null {
  if (/^[0-9]+([.,][0-9]+)?E\+?[0-9]+$/i.test(phone)) {
    return "was turned into a number by a spreadsheet, which lost digits; take it from the source again, with the " +
      "column as text";
  }
  if (/^[1-9][0-9]{6,14}$/.test(phone)) {
    return "has no plus sign and country code, or a spreadsheet took the plus sign away; write it as +5511987654321";
  }
  return null;
}

function requireContactColumns(columns: string[]) {
  const isKnown = (name: string) =>
    Object.hasOwn(FIELDS, name) || REJECTION_COLUMNS.includes(name) ||
    (name.startsWith(CUSTOM) && name.length > CUSTOM.length);
  const unknown = columns.filter((name) => !isKnown(name));
  const there = `There are ${COLUMNS.join(", ")}`;
  if (unknown.length > 0) {
    const named = unknown.map((name) => {
      const meant = nearestOf(name, COLUMNS);
      return `"${name}"${meant === null ? "" : ` (did you mean ${meant}?)`}`;
    });
    throw new OperatorError(
      `The first line must name the fields of a contact, and these columns are none: ${
        named.join(", ")
      }. ${there}.`,
    );
  }
  const twice = columns.find((name, at) => columns.indexOf(name) !== at);
  if (twice !== undefined) throw new OperatorError(`The column ${twice} is there twice.`);
  if (!columns.includes("phone")) {
    throw new OperatorError(`The column phone is missing: it says who a contact is. ${there}.`);
  }
}
