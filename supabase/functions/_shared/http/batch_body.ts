import * as z from "zod";
import { type FieldError, invalidRequest } from "../errors.ts";
import type { BodyReading } from "./body.ts";
import { judged, ofUnknownField, readObject } from "./validate.ts";

// The body of a batch: { items: [ … ] }. Each item is judged by itself, as the body of a request would be.

/** More items take longer than one statement may. */
export const MAX_ITEMS = 500;

/** What a batch takes. */
export interface Batch {
  /** The schema of one item. */
  item: z.ZodType;
  /** Fields that are refused as read-only. */
  readOnly: string[];
}

/** An item as its schema parses it, or what is wrong with it. */
export type JudgedItem<Item = unknown> = { item: Item } | { wrong: FieldError[]; given: unknown };

/** The field that an error about an item as a whole names. */
const WHOLE_ITEM = "item";

/** The schema of the body of a batch with items of this schema. */
export function batchOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item)
      .min(1, "must have at least one item")
      .max(MAX_ITEMS, `must have at most ${MAX_ITEMS} items`),
  });
}

const Unjudged = batchOf(z.unknown());

/**
 * The body of a batch, with its items judged one by one.
 * @throws ApiError invalid_request when the body as a whole is wrong, and what reading it throws.
 */
export async function readBatch(
  request: Request,
  { item, readOnly }: Batch,
  reading: BodyReading,
): Promise<{ items: JudgedItem[] }> {
  const { value } = await readObject(request, { "application/json": Unjudged }, reading);
  const whole = judged(Unjudged, value, ofUnknownField([]));
  if ("wrong" in whole) throw invalidRequest(whole.wrong);
  const ofUnknown = ofUnknownField(readOnly);
  const items = whole.parsed.items.map((given): JudgedItem => {
    const result = judged(item, given, ofUnknown, WHOLE_ITEM);
    return "wrong" in result ? { wrong: result.wrong, given } : { item: result.parsed };
  });
  return { items };
}

/** The name of a wrong field of an item within the whole body: `items.3.phone`. */
export function fieldOfItem(index: number, { field, message }: FieldError): FieldError {
  const path = field === WHOLE_ITEM ? [] : [field];
  return { field: ["items", index, ...path].join("."), message };
}
