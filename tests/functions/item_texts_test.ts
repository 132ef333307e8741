import assert from "node:assert/strict";
import * as fc from "fast-check";
import * as z from "zod/mini";
import { MAX_ITEMS, readBatch } from "../../supabase/functions/_shared/http/batch_body.ts";
import { itemTexts } from "../../supabase/functions/_shared/http/item_texts.ts";
import { surveyJson } from "../../supabase/functions/_shared/http/json_survey.ts";
import { parseStrictly } from "../../supabase/functions/_shared/http/strict_json.ts";
import { runs } from "../support/runs.ts";

/** Strings that look like JSON, and `items`, which is also the key of the list. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom("items", "[", "]", "{", "}", ",", '"', "\\", ":"),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.constantFrom(null, true),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
})).value;

/**
 * Parses a body as the service does. `JSON.parse` may confuse a key that contains an escape
 * sequence with another key (nodejs/node#63785).
 */
function parsed(json: string): unknown {
  return parseStrictly(json, surveyJson(new TextEncoder().encode(json)));
}

Deno.test("each item keeps its exact text, whatever the rest of the body contains", () => {
  fc.assert(
    fc.property(fc.array(value), value, value, fc.nat(3), (list, before, after, indent) => {
      const json = JSON.stringify({ before, items: list, after }, null, indent);
      const body = parsed(json) as { items: unknown[] };
      const cut = itemTexts(json);
      assert.deepEqual(cut.items.map(parsed), body.items);
      assert.deepEqual(parsed(cut.rest), { ...body, items: [] });
    }),
    { numRuns: runs(300) },
  );
});

Deno.test("a body remains unchanged unless it has a list of items at the top level", () => {
  for (const json of ['{"items":{"items":[1]}}', '{"x":{"items":[1]}}', '{"items":5,"x":[1]}']) {
    assert.deepEqual(itemTexts(json), { items: [], rest: json });
  }
  const twice = '{"items":[1],"it\\u0065ms" : [ 2, 3 ]}';
  const rest = '{"items":[],"it\\u0065ms" : []}';
  assert.deepEqual(itemTexts(twice), { items: ["1", " 2", " 3 "], rest });
});

Deno.test("the items of a batch with too many items are not parsed one by one", async () => {
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (...text: Parameters<typeof parse>) => {
    parsed++;
    return parse(...text);
  };
  try {
    // The reader parses the items one by one only if there is a duplicate key.
    const items = Array(MAX_ITEMS + 1).fill('{"a":1,"a":1}');
    const reading = { maxValues: 10_000, timeoutMs: 10_000, judge: () => Promise.resolve() };
    const headers = { "Content-Type": "application/json" };
    const body = `{"items":[${items}]}`;
    const request = new Request("http://edge/", { method: "POST", headers, body });
    const batch = { item: z.unknown(), isPatch: false, readOnly: () => [] };
    const message = "Invalid request: items must have at most 500 items";
    await assert.rejects(readBatch(request, batch, reading), { message });
  } finally {
    JSON.parse = parse;
  }
  // The reader counts the keys of all items to find the duplicate key.
  assert.ok(parsed < 3 * MAX_ITEMS, `${parsed}`);
});
