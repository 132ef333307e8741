import * as z from "zod/mini";
import type { Idempotency } from "../../_shared/database/idempotency.ts";
import { ApiError, type FieldError, invalidRequest, toldFields } from "../../_shared/errors.ts";
import { readOnlyFieldsOf } from "../../_shared/http/answers.ts";
import { batchOf, fieldOfItem, type JudgedItem, MAX_ITEMS } from "../../_shared/http/batch_body.ts";
import { described, Id } from "../../_shared/http/fields.ts";
import { lazily, type ObjectSchema } from "../../_shared/lazily.ts";
import { type Operation, operation, reply } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { phoneKey } from "./phone_key.ts";
import { errorOf, headersOf, type Meanings, type NotWritten, type Outcome } from "./written.ts";

/**
 * The maximum number of JSON values in a batch. This is enough for 500 complete records. A body of
 * 1 MiB could have more values, but reading them would take too long.
 */
const MAX_VALUES = 100_000;

/** The parameters of every batch operation. */
export const BatchParameters = z.strictObject({
  atomic: z._default(z.enum(["true", "false"], "must be true or false"), "false"),
});

/** A batch whose items were checked. It contains only the valid items. */
export interface BatchRequest<Item, Query> {
  caller: Caller;
  query: Query;
  /** If true, nothing is written when one item fails. */
  atomic: boolean;
  idempotency: Idempotency | null;
  items: Item[];
}

/**
 * The reason why an item was not written: the same error body as for a single record, without
 * `request_id` and `doc_url`. Field names are paths in the whole body, such as `items.3.phone`.
 */
export const BatchItemError = lazily(() =>
  z.object({
    error: z.string(),
    code: z.enum(["not_found", "conflict", "invalid_request"]),
    details: z.optional(
      z.array(z.object({ field: z.string(), message: z.string() })).check(
        z.minLength(1),
        z.maxLength(50),
      ),
    ),
    existing_id: z.optional(Id),
  }).register(z.globalRegistry, { id: "BatchItemError" })
);
type BatchItemError = z.output<typeof BatchItemError>;

/** The number of batch items with each result. */
export const BatchSummary = lazily(() =>
  z.object({
    total: z.int().check(z.gte(1), z.lte(MAX_ITEMS)),
    created: z.int().check(z.gte(0), z.lte(MAX_ITEMS)),
    updated: z.int().check(z.gte(0), z.lte(MAX_ITEMS)),
    unchanged: z.int().check(z.gte(0), z.lte(MAX_ITEMS)),
    failed: z.int().check(z.gte(0), z.lte(MAX_ITEMS)),
  }).register(z.globalRegistry, { id: "BatchSummary" })
);

/** The response to a batch request: the result of each item, in the order of the items. */
function batchAnswer(row: z.core.$ZodType) {
  const index = z.int().check(z.gte(0), z.lte(MAX_ITEMS - 1));
  return z.object({
    data: z.array(z.union([
      z.object({ index, status: z.literal([200, 201]), data: row }),
      z.object({ index, status: z.literal([404, 409, 422]), error: BatchItemError }),
    ])).check(z.minLength(1), z.maxLength(MAX_ITEMS)),
    summary: BatchSummary,
  });
}

/**
 * Creates an operation that writes up to 500 records. Each item is checked separately, and one
 * statement writes all valid items. With `atomic=true`, the operation writes either all items or no
 * items.
 */
export function batchOperation<
  const Id extends string,
  Item extends z.core.$ZodType,
  Query extends z.ZodMiniObject = typeof BatchParameters,
>(
  { id, method, path, row, lighterRow, item, body, query, meanings, write }: {
    id: Id;
    method: "POST" | "PATCH";
    path: string;
    /** The schema of a record. */
    row: ObjectSchema;
    /** The schema of a smaller record, for a response that would otherwise be too large. */
    lighterRow?: ObjectSchema;
    /** The schema of an item. */
    item: Item;
    /** The name of the body's schema in the OpenAPI document. */
    body: string;
    /** `BatchParameters`, with the operation's own parameters. */
    query?: Query;
    /** The error messages, which may depend on the request's parameters. */
    meanings(query: z.output<Query>): Meanings;
    /**
     * Writes the valid items, of which there may be none. The results are in the order of the
     * items.
     */
    write(request: BatchRequest<z.output<Item>, z.output<Query>>): Promise<Outcome>;
  },
): Operation<Id> {
  const whole = lazily(() => described(batchOf(item), { id: body }));
  return operation({
    id,
    method,
    path,
    scope: "write",
    query: (query ?? BatchParameters) as typeof BatchParameters,
    body: whole,
    // The items of a PATCH are merge patches, even if the content type is `application/json`.
    mergePatch: method === "PATCH" ? whole : undefined,
    batch: {
      item,
      isPatch: method === "PATCH",
      readOnly: () => readOnlyFieldsOf(row),
    },
    idempotent: method === "POST",
    maxValues: MAX_VALUES,
    answers: () => ({ 200: batchAnswer(lighterRow ? z.union([row, lighterRow]) : row) }),
    errors: [
      ...(method === "PATCH" ? ["not_found"] as const : []),
      "conflict",
    ],
  }, async ({ caller, query: given, body, idempotency }) => {
    const query = given as unknown as z.output<Query>;
    const items = body.items as JudgedItem<z.output<Item>>[];
    const good = items.flatMap((each) => "item" in each ? [each.item] : []);
    const atomic = given.atomic === "true";
    if (atomic && good.length < items.length) throw invalidRequest(wrongFieldsOf(items));
    const request = { caller, query, atomic, idempotency, items: good };
    const outcome = await write(request);
    if (outcome.results.length !== good.length) {
      throw new Error(`${good.length} items have ${outcome.results.length} results`);
    }
    const told = meanings(query);
    if (outcome.undone) throw firstError(outcome, good, told);
    const results = outcome.results.values();
    const data = items.map((each, index): ItemAnswer => {
      const at = (field: FieldError) => fieldOfItem(index, field);
      if ("wrong" in each) return failed(index, invalidRequest(each.wrong.map(at)));
      const result = results.next().value!;
      if (!("data" in result)) return failed(index, errorOf(result, outcome, told, at));
      return { index, status: result.status, data: result.data };
    });
    const count = (from: number, to = from) =>
      data.filter(({ status }) => status >= from && status <= to).length;
    const unchanged = outcome.results.filter((each) => "unchanged" in each).length;
    const summary = {
      total: data.length,
      created: count(201),
      updated: count(200) - unchanged,
      unchanged,
      failed: count(400, 499),
    };
    return reply(200, { data, summary }, { headers: headersOf(outcome) });
  });
}

/**
 * Returns the errors of all items. Field names are paths in the whole body, such as
 * `items.3.phone`.
 */
function wrongFieldsOf(items: JudgedItem[]): FieldError[] {
  return items.flatMap((each, index) =>
    "wrong" in each ? each.wrong.map((wrong) => fieldOfItem(index, wrong)) : []
  );
}

/**
 * Returns the error for a batch that wrote nothing. All items matched the schema, but the database
 * refused an item.
 */
function firstError(outcome: Outcome, items: unknown[], meanings: Meanings): ApiError {
  for (const [index, result] of outcome.results.entries()) {
    if (result.status < 400) continue; // this item had no error, but was rolled back
    const at = (field: FieldError) => fieldOfItem(index, field);
    if (result.status === 409) {
      // Another item of this batch may have added the existing record, or given the record this
      // value. That change was rolled back, so the error names the other item, not the record.
      const { existing_id, field = "" } = result;
      const value = valueOf(items[index], field);
      const other = outcome.results.findIndex((each, place) =>
        "id" in each && each.id === existing_id &&
        (each.status === 201 || (value !== undefined && valueOf(items[place], field) === value))
      );
      if (other >= 0) return sameAsOther(field, at, other);
    }
    return errorOf(result as NotWritten, outcome, meanings, at);
  }
  throw new Error("a batch was rolled back although no item failed");
}

/** Returns the value of a unique field. Phone numbers become phone keys, which can be compared. */
function valueOf(item: unknown, field: string): unknown {
  const value = (item as Record<string, unknown>)[field];
  return field === "phone" && typeof value === "string" ? phoneKey(value) : value;
}

/** Returns the error for an item that conflicts with another item of the same batch. */
function sameAsOther(
  field: string,
  at: (field: FieldError) => FieldError,
  other: number,
): ApiError {
  const { details, told } = toldFields([at({ field, message: `is also in items.${other}` })]);
  const sentence = `Two items have the same ${field}; nothing was written: ${told}`;
  return new ApiError("conflict", sentence, { details });
}

/** An item's result, as the response contains it. */
type ItemAnswer =
  | { index: number; status: 200 | 201; data: Record<string, unknown> }
  | { index: number; status: 404 | 409 | 422; error: BatchItemError };

function failed(index: number, error: ApiError): ItemAnswer {
  const { status, code, message, parts: { details, body } } = error;
  const told = { error: message, code, ...(details && { details }), ...body };
  return { index, status, error: told } as ItemAnswer;
}
