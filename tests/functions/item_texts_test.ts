import assert from "node:assert/strict";
import * as fc from "fast-check";
import { itemTexts } from "../../supabase/functions/_shared/http/item_texts.ts";

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

Deno.test("the texts of the items are those of the list, whatever is in it and around it", () => {
  fc.assert(
    fc.property(fc.array(value), value, value, fc.nat(3), (list, before, after, indent) => {
      const json = JSON.stringify({ before, items: list, after }, null, indent);
      const body = JSON.parse(json);
      const cut = itemTexts(json);
      assert.deepEqual(cut.items.map((text) => JSON.parse(text)), body.items);
      assert.deepEqual(JSON.parse(cut.rest), { ...body, items: [] });
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
