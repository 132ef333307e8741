import * as z from "zod";
import { type FieldError, invalidRequest } from "../errors.ts";
import type { BodyReading } from "./body.ts";
import { itemTexts } from "./item_texts.ts";
import { type JsonSurvey, surveyJson } from "./json_survey.ts";
import { parseStrictly, RepeatedKeys } from "./strict_json.ts";
import { givenTwice, judged, ofUnknownField, readObject } from "./validate.ts";

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
  const schemas = { "application/json": Unjudged };
  const { value } = await readObject(request, schemas, reading, parseItems);
  const whole = judged(Unjudged, value, ofUnknownField([]));
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
 * Parses the body of a batch as `parseStrictly` does. An item with a key that it has more than once becomes a RepeatedKeys,
 * so that the others can be judged.
 */
function parseItems(text: string, survey: JsonSurvey): unknown {
  try {
    return parseStrictly(text, survey);
  } catch (error) {
    if (!(error instanceof RepeatedKeys)) throw error;
  }
  const { items, rest } = itemTexts(text);
  const whole = strictly(rest) as { items?: unknown };
  return Array.isArray(whole.items) ? { ...whole, items: items.map(itemOf) } : whole;
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

/** The name of a wrong field of an item within the whole body: `items.3.phone`. */
export function fieldOfItem(index: number, { field, message }: FieldError): FieldError {
  const path = field === WHOLE_ITEM ? [] : [field];
  return { field: ["items", index, ...path].join("."), message };
}
