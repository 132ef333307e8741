import type * as z from "zod";
import { nearestOf } from "../supabase/functions/_shared/http/suggestion.ts";
import { judged } from "../supabase/functions/_shared/http/validate.ts";
import { ContactToPut } from "../supabase/functions/gateway/resources/contacts/input.ts";
import { OperatorError } from "./operator_error.ts";

/** A contact, in the form of the request body of `PUT /contacts`. */
export type ContactItem = z.output<typeof ContactToPut>;

/** The result of reading a row: a contact, or the reason why the row is invalid. */
export type ContactRow = { item: ContactItem } | { reason: string };

/** The additional columns of a file of rejected rows. These columns do not describe the contact. */
export const REJECTION_COLUMNS = ["line", "reason"];

/**
 * Converts the cell of each field to a value. A cell that cannot be converted remains a string, and
 * the API's schema then reports the problem.
 */
const FIELDS: Record<Exclude<keyof ContactItem, "custom_fields">, (cell: string) => unknown> = {
  phone: verbatim,
  external_id: verbatim,
  name: verbatim,
  email: verbatim,
  temperature: verbatim,
  tags: (cell) => cell.split(";").map((tag) => tag.trim()).filter((tag) => tag !== ""),
  source: verbatim,
  job_title: verbatim,
  empresa: verbatim,
  do_not_contact: trueOrFalse,
  marketing_opt_out: trueOrFalse,
  is_active: trueOrFalse,
};
const CUSTOM = "custom_fields.";
const COLUMNS = [...Object.keys(FIELDS), `${CUSTOM}<key>`];

function verbatim(cell: string): string {
  return cell;
}

/** Spreadsheet programs write booleans as TRUE and FALSE. */
function trueOrFalse(cell: string): boolean | string {
  return { true: true, false: false }[cell.toLowerCase()] ?? cell;
}

/**
 * Reads the header of a file of contacts. Returns a function that reads a row and checks it against
 * the API's schema for `PUT /contacts`.
 * @throws OperatorError when a column is not a field of a contact, or occurs twice, or when the
 *   column phone is missing.
 */
export function contactReader(header: string[]): (cells: string[]) => ContactRow {
  const columns = header.map((name) => name.trim());
  requireContactColumns(columns);
  return (cells) => {
    if (cells.length !== columns.length) {
      return { reason: `The row has ${cells.length} cells, but the header has ${columns.length}` };
    }
    const given = columns.map((name, at) => [name, cells[at].trim()])
      .filter(([name, cell]) => cell !== "" && !REJECTION_COLUMNS.includes(name));
    const custom = given.filter(([name]) => name.startsWith(CUSTOM))
      .map(([name, cell]) => [name.slice(CUSTOM.length), cell]);
    const fields = given.filter(([name]) => !name.startsWith(CUSTOM))
      .map(([name, cell]) => [name, FIELDS[name as keyof typeof FIELDS](cell)]);
    // Every column name becomes an own property, even `__proto__`.
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

/**
 * The error message for a phone number that a spreadsheet program converted to a number. The import
 * does not guess the original phone number.
 */
function spoiled(phone: string): string | null {
  if (/^[0-9]+([.,][0-9]+)?E\+?[0-9]+$/i.test(phone)) {
    return "was turned into a number by a spreadsheet, which lost digits; export it again, " +
      "with the column as text";
  }
  if (/^[1-9][0-9]{6,14}$/.test(phone)) {
    return "has no plus sign and country code, or a spreadsheet removed the plus sign; write it as +5511987654321";
  }
  return null;
}

function requireContactColumns(columns: string[]) {
  const isKnown = (name: string) =>
    Object.hasOwn(FIELDS, name) || REJECTION_COLUMNS.includes(name) ||
    (name.startsWith(CUSTOM) && name.length > CUSTOM.length);
  const unknown = columns.filter((name) => !isKnown(name));
  const there = `The fields are ${COLUMNS.join(", ")}`;
  if (unknown.length > 0) {
    const named = unknown.map((name) => {
      const meant = nearestOf(name, COLUMNS);
      return `"${name}"${meant === null ? "" : ` (did you mean ${meant}?)`}`;
    });
    throw new OperatorError(
      `The first line must name the fields of a contact. These columns are not fields of a contact: ${
        named.join(", ")
      }. ${there}.`,
    );
  }
  const twice = columns.find((name, at) => columns.indexOf(name) !== at);
  if (twice !== undefined) throw new OperatorError(`The column ${twice} occurs twice.`);
  if (!columns.includes("phone")) {
    throw new OperatorError(`The column phone is missing: it identifies the contact. ${there}.`);
  }
}
