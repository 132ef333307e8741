import assert from "node:assert/strict";
import * as fc from "fast-check";
import * as z from "zod";
import { MAX_ITEMS, readBatch } from "../../supabase/functions/_shared/http/batch_body.ts";
import { itemTexts } from "../../supabase/functions/_shared/http/item_texts.ts";
import { surveyJson } from "../../supabase/functions/_shared/http/json_survey.ts";
import { parseStrictly } from "../../supabase/functions/_shared/http/strict_json.ts";

/** Texts that look like JSON, and keys that are the name of the list. */
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

/** What a request says. JSON.parse alone may take a key with an escape for another one (nodejs/node#63785). */
function parsed(json: string): unknown {
  return parseStrictly(json, surveyJson(new TextEncoder().encode(json)));
}

Deno.test("the texts of the items are those of the list, whatever is in it and around it", () => {
  fc.assert(
    fc.property(fc.array(value), value, value, fc.nat(3), (list, before, after, indent) => {
      const json = JSON.stringify({ before, items: list, after }, null, indent);
      const body = parsed(json) as { items: unknown[] };
      const cut = itemTexts(json);
      assert.deepEqual(cut.items.map(parsed), body.items);
      assert.deepEqual(parsed(cut.rest), { ...body, items: [] });
    }),
    { numRuns: 300 },
  );
});

Deno.test("what is not a list, or not at the top, is left as it is", () => {
  for (const json of ['{"items":{"items":[1]}}', '{"x":{"items":[1]}}', '{"items":5,"x":[1]}']) {
    assert.deepEqual(itemTexts(json), { items: [], rest: json });
  }
  const twice = '{"items":[1],"it\\u0065ms" : [ 2, 3 ]}';
  const rest = '{"items":[],"it\\u0065ms" : []}';
  assert.deepEqual(itemTexts(twice), { items: ["1", " 2", " 3 "], rest });
});

Deno.test("of more items than a batch may have, none is parsed by itself", async () => {
  const { parse } = JSON;
  let parsed = 0;
  JSON.parse = (...text: Parameters<typeof parse>) => {
    parsed++;
    return parse(...text);
  };
  try {
    // A key that is given more than once is the reason to parse items by themselves.
    const items = Array(MAX_ITEMS + 1).fill('{"a":1,"a":1}');
    const reading = { maxValues: 10_000, timeoutMs: 10_000, judge: () => Promise.resolve() };
    const headers = { "Content-Type": "application/json" };
    const body = `{"items":[${items}]}`;
    const request = new Request("http://edge/", { method: "POST", headers, body });
    const batch = { item: z.unknown(), readOnly: [] };
    const message = "Invalid request: items must have at most 500 items";
    await assert.rejects(readBatch(request, batch, reading), { message });
  } finally {
    JSON.parse = parse;
  }
  // The keys of all items are counted, to say which one is repeated.
  assert.ok(parsed < 3 * MAX_ITEMS, `${parsed}`);
});
