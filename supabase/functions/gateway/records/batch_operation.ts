import * as z from "zod";
import type { Idempotency } from "../../_shared/database/idempotency.ts";
import { type ApiError, type FieldError, invalidRequest } from "../../_shared/errors.ts";
import { readOnlyFieldsOf } from "../../_shared/http/answers.ts";
import { batchOf, fieldOfItem, type JudgedItem, MAX_ITEMS } from "../../_shared/http/batch_body.ts";
import { Id } from "../../_shared/http/fields.ts";
import { type Operation, operation, reply } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { errorOf, headersOf, type Meanings, type NotWritten, type Outcome } from "./written.ts";

/** As many values as a batch of full records has. A body of 1 MiB may have more, which take longer than they should. */
const MAX_VALUES = 100_000;

/** The parameters of every batch. */
export const BatchParameters = z.strictObject({
  atomic: z.enum(["true", "false"], "must be true or false").default("false"),
});

/** A batch as its items were judged: only the good ones are here. */
export interface BatchRequest<Item, Query> {
  caller: Caller;
  query: Query;
  /** Whether all items are to be written or none. */
  atomic: boolean;
  idempotency: Idempotency | null;
  items: Item[];
}

/** Why an item was not written: what the body of such an error would be, without `request_id` and `doc_url`. */
export const BatchItemError = z.object({
  error: z.string(),
  code: z.enum(["not_found", "conflict", "invalid_request"]),
  details: z.array(z.object({ field: z.string(), message: z.string() })).min(1).max(50).optional(),
  existing_id: Id.optional(),
}).meta({ id: "BatchItemError" });
type BatchItemError = z.output<typeof BatchItemError>;

/** How many items of a batch came to what. */
export const BatchSummary = z.object({
  total: z.int().min(1).max(MAX_ITEMS),
  created: z.int().min(0).max(MAX_ITEMS),
  updated: z.int().min(0).max(MAX_ITEMS),
  failed: z.int().min(0).max(MAX_ITEMS),
}).meta({ id: "BatchSummary" });

const Index = z.int().min(0).max(MAX_ITEMS - 1);

/** The answer to a batch: what became of each item, in the order of the items. */
function batchAnswer(row: z.ZodType) {
  return z.object({
    data: z.array(z.union([
      z.object({ index: Index, status: z.literal([200, 201]), data: row }),
      z.object({ index: Index, status: z.literal([404, 409, 422]), error: BatchItemError }),
    ])).min(1).max(MAX_ITEMS),
    summary: BatchSummary,
  });
}

/**
 * An operation that writes up to 500 records. Each item is judged by itself, and the good ones are written in one
 * statement; with `atomic=true`, all or none.
 */
export function batchOperation<
  const Id extends string,
  Item extends z.ZodType,
  Query extends z.ZodObject = typeof BatchParameters,
>(
  { id, method, path, row, lighterRow, item, body, query, meanings, write }: {
    id: Id;
    method: "POST" | "PATCH";
    path: string;
    /** The schema of a record. */
    row: z.ZodObject;
    /** The schema of a record as it is answered where all of them together would be too large. */
    lighterRow?: z.ZodObject;
    /** The schema of an item. */
    item: Item;
    /** What the schema of the body is called in the API's description. */
    body: string;
    /** `BatchParameters` with more. */
    query?: Query;
    meanings: Meanings;
    /** Writes the good items, which may be none. Its results are in their order. */
    write(request: BatchRequest<z.output<Item>, z.output<Query>>): Promise<Outcome>;
  },
): Operation<Id> {
  return operation({
    id,
    method,
    path,
    scope: "write",
    query: (query ?? BatchParameters) as typeof BatchParameters,
    body: batchOf(item).meta({ id: body }),
    batch: { item, readOnly: readOnlyFieldsOf(row) },
    idempotent: method === "POST",
    maxValues: MAX_VALUES,
    answers: { 200: batchAnswer(lighterRow ? z.union([row, lighterRow]) : row) },
    errors: [
      ...(method === "PATCH" ? ["not_found"] as const : []),
      ...(meanings.conflict || meanings.merged ? ["conflict"] as const : []),
    ],
  }, async ({ caller, query, body, idempotency }) => {
    const items = body.items as JudgedItem<z.output<Item>>[];
    const good = items.flatMap((each) => "item" in each ? [each.item] : []);
    const atomic = query.atomic === "true";
    if (atomic && good.length < items.length) throw invalidRequest(wrongFieldsOf(items));
    const request = { caller, atomic, idempotency, items: good };
    const outcome = await caller.inTurn(() =>
      write({ ...request, query: query as unknown as z.output<Query> })
    );
    if (outcome.results.length !== good.length) {
      throw new Error(`${good.length} items have ${outcome.results.length} results`);
    }
    if (outcome.undone) throw firstError(outcome, meanings);
    const results = outcome.results.values();
    const data = items.map((each, index): ItemAnswer => {
      if ("wrong" in each) return failed(index, invalidRequest(each.wrong));
      const result = results.next().value!;
      if (!("data" in result)) return failed(index, errorOf(result, outcome, meanings));
      return { index, status: result.status, data: result.data };
    });
    const count = (from: number, to = from) =>
      data.filter(({ status }) => status >= from && status <= to).length;
    const summary = {
      total: data.length,
      created: count(201),
      updated: count(200),
      failed: count(400, 499),
    };
    return reply(200, { data, summary }, { headers: headersOf(outcome) });
  });
}

/** What is wrong in any item, by the names of the fields within the whole body. */
function wrongFieldsOf(items: JudgedItem[]): FieldError[] {
  return items.flatMap((each, index) =>
    "wrong" in each ? each.wrong.map((wrong) => fieldOfItem(index, wrong)) : []
  );
}

/** The error of a batch of which nothing was written, because an item failed. All of its items were good. */
function firstError(outcome: Outcome, meanings: Meanings): ApiError {
  for (const [index, result] of outcome.results.entries()) {
    if (result.status < 400) continue; // it was written, and undone
    const at = (field: FieldError) => fieldOfItem(index, field);
    return errorOf(result as NotWritten, outcome, meanings, at);
  }
  throw new Error("a batch was undone although no item failed");
}

/** What became of an item, as it is answered. */
type ItemAnswer =
  | { index: number; status: 200 | 201; data: Record<string, unknown> }
  | { index: number; status: 404 | 409 | 422; error: BatchItemError };

function failed(index: number, error: ApiError): ItemAnswer {
  const { status, code, message, parts: { details, body } } = error;
  const told = { error: message, code, ...(details && { details }), ...body };
  return { index, status, error: told } as ItemAnswer;
}
