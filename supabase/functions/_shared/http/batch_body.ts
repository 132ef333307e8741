import * as z from "zod/mini";
import { type FieldError, invalidRequest } from "../errors.ts";
import type { BodyReading } from "./body.ts";
import { type JsonSurvey, surveyJson } from "./json_survey.ts";
import { parseStrictly, RepeatedKeys } from "./strict_json.ts";
import { givenTwice, judged, ofUnknownField, readObject } from "./validate.ts";

// The body of a batch is { items: [ … ] }. Each item is checked separately, as the body of a single
// request is.

/** The maximum number of items. Writing more items would exceed the statement timeout. */
export const MAX_ITEMS = 500;

/** The options of a batch body. */
export interface Batch {
  /** The schema of one item. */
  item: z.core.$ZodType;
  /** Whether the items are merge patches, so that `application/merge-patch+json` is accepted too. */
  isPatch: boolean;
  /** Fields that are refused as read-only. */
  readOnly(): string[];
}

/** An item as parsed by its schema, or the item's errors. */
export type JudgedItem<Item = unknown> = { item: Item } | { wrong: FieldError[]; given: unknown };

/**
 * The content that is compared to recognise a repeated batch. The errors of invalid items are left
 * out, because another release may word the errors differently for the same request.
 */
export function askedOf({ items }: { items: JudgedItem[] }): unknown[] {
  return items.map((each) => "wrong" in each ? { given: each.given } : each);
}

/** The field's name in an error about a whole item. */
const WHOLE_ITEM = "item";

/** The schema of a batch body whose items have the schema `item`. */
export function batchOf<Item extends z.core.$ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item).check(
      z.minLength(1, "must have at least one item"),
      z.maxLength(MAX_ITEMS, `must have at most ${MAX_ITEMS} items`),
    ),
  });
}

const Unjudged = batchOf(z.unknown());

/**
 * Reads the body of a batch, and checks each item separately.
 *
 * @throws ApiError invalid_request when the body as a whole is invalid; the errors of reading the
 *   body.
 */
export async function readBatch(
  request: Request,
  { item, isPatch, readOnly }: Batch,
  reading: BodyReading,
): Promise<{ items: JudgedItem[] }> {
  const schemas: Record<string, z.core.$ZodType> = {
    "application/json": item,
    ...(isPatch && { "application/merge-patch+json": item }),
  };
  const { value } = await readObject(request, schemas, reading, parseItems);
  const whole = judged(Unjudged, value, ofUnknownField(() => []));
  if ("wrong" in whole) throw invalidRequest(whole.wrong);
  const ofUnknown = ofUnknownField(readOnly);
  const items = whole.parsed.items.map((given): JudgedItem => {
    if (given instanceof RepeatedKeys) return { wrong: givenTwice(given), given: given.keys };
    const result = judged(item, given, ofUnknown, WHOLE_ITEM);
    return "wrong" in result ? { wrong: result.wrong, given } : { item: result.parsed };
  });
  return { items };
}

/**
 * Parses the body of a batch as `parseStrictly` does. An item with duplicate keys becomes a
 * `RepeatedKeys`, so that the other items can be checked.
 */
async function parseItems(text: string, survey: JsonSurvey): Promise<unknown> {
  try {
    return parseStrictly(text, survey);
  } catch (error) {
    if (!(error instanceof RepeatedKeys)) throw error;
  }
  // Few requests need this code, so the function does not load it at its start.
  const { itemTexts } = await import("./item_texts.ts");
  const { items, rest } = itemTexts(text);
  const whole = strictly(rest) as { items?: unknown };
  if (!Array.isArray(whole.items)) return whole;
  // If there are too many items, only their number is reported, because parsing tens of thousands
  // of items takes seconds.
  return { ...whole, items: items.length > MAX_ITEMS ? items : items.map(itemOf) };
}

function itemOf(text: string): unknown {
  try {
    return strictly(text);
  } catch (error) {
    if (error instanceof RepeatedKeys) return error;
    throw error;
  }
}

function strictly(text: string): unknown {
  return parseStrictly(text, surveyJson(new TextEncoder().encode(text)));
}

/**
 * Converts an item's error: the field's name becomes its path in the whole body, `items.3.phone`.
 */
export function fieldOfItem(index: number, { field, message }: FieldError): FieldError {
  const path = field === WHOLE_ITEM ? [] : [field];
  return { field: ["items", index, ...path].join("."), message };
}
