import type * as z from "zod";
import type { Json } from "../../_shared/database/types.ts";
import {
  ApiError,
  type ErrorCode,
  type FieldError,
  invalidRequest,
  toldFields,
} from "../../_shared/errors.ts";
import { REPLAYED } from "../../_shared/http/idempotency.ts";

// What the functions of the database that write records answer: one result per item, in order.

/** An item that was written, with the record as it is now. */
interface Written<Row> {
  status: 200 | 201;
  id: string;
  data: Row;
}

/** An item that was not written. */
export type NotWritten =
  | { status: 404 }
  | {
    status: 409;
    existing_id: string;
    /** Whether the record that the item names was merged into that one. */
    merged?: true;
  }
  | { status: 422; constraint: string };

/** What became of one item. */
export type Result<Row = Record<string, unknown>> = Written<Row> | NotWritten;

/** What became of a request. */
export interface Outcome<Row = Record<string, unknown>> {
  /** Whether an earlier request with the same Idempotency-Key has done it. */
  replayed: boolean;
  /** Whether nothing was written, because all or none was asked for and an item failed. */
  undone: boolean;
  results: Result<Row>[];
}

/** What it means to the caller when a record cannot be written. */
export interface Meanings {
  /** What one record is called: `Deal`. */
  name: string;
  /** The field that is wrong, by the names of the constraints that a write may break. */
  constraints: Record<string, FieldError>;
  /** The field whose value another record has, with the sentence about it. */
  conflict?: FieldError;
  /** The field that names a record which was merged into another one, with the sentence about it. */
  merged?: FieldError;
}

/** A record with the fields of its schema that it has, in their order, and no others that a newer database knows. */
export function inFormOf({ shape }: z.ZodObject, record: Record<string, unknown>) {
  const known = Object.keys(shape).filter((field) => Object.hasOwn(record, field));
  return Object.fromEntries(known.map((field) => [field, record[field]]));
}

/**
 * The answer of a function that writes records.
 * @param row the schema of a record, in whose form they are answered.
 */
export function outcomeOf<Row>(answer: Json, row: z.ZodObject): Outcome<Row> {
  const outcome = answer as unknown as Outcome;
  const results = outcome.results.map((result) => {
    if (!("data" in result)) return result;
    return { ...result, data: inFormOf(row, result.data) };
  });
  return { ...outcome, results } as Outcome<Row>;
}

/** The headers of the answer to a write. */
export function headersOf({ replayed }: Pick<Outcome, "replayed">): Record<string, string> {
  return replayed ? REPLAYED : {};
}

/**
 * The one result of a request that writes one record.
 * @throws ApiError not_found, conflict or invalid_request when it was not written.
 */
export function onlyResult<Row>(outcome: Outcome<Row>, meanings: Meanings): Written<Row> {
  const [result] = outcome.results;
  if ("data" in result) return result;
  throw errorOf(result, outcome, meanings);
}

/**
 * The error of a record that was not written.
 * @param at the name of a field within the whole body, where all or none was asked for.
 */
export function errorOf(
  result: NotWritten,
  { replayed }: Pick<Outcome, "replayed">,
  { name, constraints, conflict, merged }: Meanings,
  at?: (field: FieldError) => FieldError,
): ApiError {
  if (result.status === 422) {
    const wrong = constraints[result.constraint];
    if (!wrong) throw new Error(`the constraint ${result.constraint} has no meaning`);
    return invalidRequest([at ? at(wrong) : wrong]);
  }
  const refusal = (code: ErrorCode, sentence: string, wrong: FieldError, body = {}) => {
    if (!at) return new ApiError(code, sentence, { body });
    const { details, told } = toldFields([at(wrong)]);
    return new ApiError(code, `${sentence}; nothing was written: ${told}`, { details, body });
  };
  if (result.status === 404) {
    const since = "the first request with this Idempotency-Key wrote it, and it was deleted since";
    const sentence = replayed ? `${name} not found: ${since}` : `${name} not found`;
    const message = `is not the id of a ${name.toLowerCase()} of your company`;
    return refusal("not_found", sentence, { field: "id", message });
  }
  const meaning = result.merged ? merged : conflict;
  if (!meaning) throw new Error(`${name} has no meaning for a conflict`);
  const { field, message } = meaning;
  const why = result.merged ? "was merged into that record" : "belongs to that record";
  const { existing_id } = result;
  return refusal("conflict", message, { field, message: why }, { existing_id });
}
