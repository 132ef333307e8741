import type * as z from "zod/mini";
import type { Json } from "../../_shared/database/types.ts";
import {
  ApiError,
  type ErrorCode,
  type FieldError,
  invalidRequest,
  toldFields,
} from "../../_shared/errors.ts";
import { REPLAYED } from "../../_shared/http/idempotency.ts";
import { built, type ObjectSchema } from "../../_shared/lazily.ts";

// The results of the database functions that write records: one result for each item, in order.

/** An item that was written, with the record's current state. */
interface Written<Row> {
  status: 200 | 201;
  id: string;
  data: Row;
  /** Present if the record already had the item's values, so that nothing was written. */
  unchanged?: true;
}

/**
 * For each reason why a record cannot be changed, the end of the error message. Triggers of the
 * tables raise the same error for a single request.
 */
const UNCHANGEABLE = {
  archived: "it is archived, so restore it before you change it",
  erased: "the person was erased, so nothing is left to change or to restore",
};

/** An item that was not written. */
export type NotWritten =
  | {
    status: 404;
    /** Why a record that exists cannot be changed. */
    reason?: keyof typeof UNCHANGEABLE;
  }
  | {
    status: 409;
    existing_id: string;
    /** The field whose value another record already has. */
    field?: string;
    /** Whether the item names a record that was merged into the record `existing_id`. */
    merged?: true;
  }
  | { status: 422; constraint: string };

/** The result of one item. */
export type Result<Row = Record<string, unknown>> = Written<Row> | NotWritten;

/** The result of a request. */
export interface Outcome<Row = Record<string, unknown>> {
  /** Whether an earlier request with the same `Idempotency-Key` wrote the records. */
  replayed: boolean;
  /** Whether nothing was written because one item of a request with `atomic=true` failed. */
  undone: boolean;
  results: Result<Row>[];
}

/** The error messages for the cases in which the database refuses a record. */
export interface Meanings {
  /** The name of one record: `Deal`. */
  name: string;
  /**
   * The field to report and the error message, for each constraint that a write may violate. The
   * keys are the names of the constraints.
   */
  constraints: Record<string, FieldError>;
  /** For each field, the error message if another record already has the field's value. */
  conflicts?: Record<string, string>;
  /** The field that names a merged record, and the error message about this field. */
  merged?: FieldError;
}

/**
 * Returns a record with only the fields in its schema, in the schema's order. Fields that only a
 * newer database has are left out.
 */
export function inFormOf(row: ObjectSchema, record: Record<string, unknown>) {
  const known = Object.keys(built(row).shape).filter((field) => Object.hasOwn(record, field));
  return Object.fromEntries(known.map((field) => [field, record[field]]));
}

/** Returns the record for a row that an update returned. In a record, the version is a string. */
export function recordOfRow<Schema extends ObjectSchema>(
  schema: Schema,
  row: { version: number },
): z.output<Schema> {
  return inFormOf(schema, { ...row, version: String(row.version) }) as z.output<Schema>;
}

/**
 * Returns the result of a database function that writes records.
 * @param row the schema of a record in the result.
 */
export function outcomeOf<Row>(answer: Json, row: ObjectSchema): Outcome<Row> {
  const outcome = answer as unknown as Outcome;
  const results = outcome.results.map((result) => {
    if (!("data" in result)) return result;
    const written = { ...result, data: inFormOf(row, result.data) };
    // The database returns 304 for a record that already had the item's values.
    return written.status as number === 304
      ? { ...written, status: 200 as const, unchanged: true as const }
      : written;
  });
  return { ...outcome, results } as Outcome<Row>;
}

/** Returns the response headers for a write. */
export function headersOf({ replayed }: Pick<Outcome, "replayed">): Record<string, string> {
  return replayed ? REPLAYED : {};
}

/**
 * Returns the only result of a request that writes one record.
 * @throws ApiError `not_found`, `conflict` or `invalid_request` if the record was not written.
 */
export function onlyResult<Row>(outcome: Outcome<Row>, meanings: Meanings): Written<Row> {
  const [result] = outcome.results;
  if ("data" in result) return result;
  throw errorOf(result, outcome, meanings);
}

/**
 * Returns the error for a record that was not written.
 * @param at for a batch, returns a field's path in the whole body, such as `items.3.phone`.
 */
export function errorOf(
  result: NotWritten,
  { replayed, undone }: Pick<Outcome, "replayed" | "undone">,
  { name, constraints, conflicts = {}, merged }: Meanings,
  at?: (field: FieldError) => FieldError,
): ApiError {
  if (result.status === 422) {
    const wrong = constraints[result.constraint];
    if (!wrong) throw new Error(`the constraint ${result.constraint} has no entry in constraints`);
    return invalidRequest([at ? at(wrong) : wrong]);
  }
  const refusal = (code: ErrorCode, sentence: string, wrong: FieldError, body = {}) => {
    if (!at) return new ApiError(code, sentence, { body });
    const { details, told } = toldFields([at(wrong)]);
    const whole = undone ? `; nothing was written: ${told}` : "";
    return new ApiError(code, `${sentence}${whole}`, { details, body });
  };
  if (result.status === 404 && replayed) {
    const since =
      "the first request with this Idempotency-Key wrote it, and it has been deleted since";
    return new ApiError("not_found", `${name} not found: ${since}`);
  }
  if (result.status === 404) {
    const { reason } = result;
    const record = name.toLowerCase();
    const [why, message] = reason
      ? [`: ${UNCHANGEABLE[reason]}`, `is the id of an ${reason} ${record}`]
      : ["", `is not the id of a ${record} of your company`];
    return refusal("not_found", `${name} not found${why}`, { field: "id", message });
  }
  const { existing_id, field: taken = "" } = result;
  const meaning = result.merged ? merged : { field: taken, message: conflicts[taken] };
  if (!meaning?.message) throw new Error(`${name} has no sentence for this conflict`);
  const { field, message } = meaning;
  const why = result.merged ? "was merged into that record" : "belongs to that record";
  return refusal("conflict", message, { field, message: why }, { existing_id });
}
