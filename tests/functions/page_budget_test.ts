import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  readRows,
  readWithinBudget,
} from "../../supabase/functions/_shared/database/page_budget.ts";

/** A response whose body arrives in chunks of these sizes. */
function answerOf(text: string, sizes: number[], status = 200): Response {
  const bytes = new TextEncoder().encode(text);
  let [at, turn] = [0, 0];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += sizes[turn++ % sizes.length]));
    },
  });
  return new Response(body, { status, headers: { "Content-Type": "application/json" } });
}

Deno.test("the first rows of a response are read completely, even if the network splits them", async () => {
  const rows = fc.array(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), {
    maxLength: 20,
  });
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });
  const budget = fc.integer({ min: 0, max: 2_000 });
  const separator = fc.constantFrom(",", ", \n ");
  const needed = fc.integer({ min: 1, max: 3 });
  await fc.assert(
    fc.asyncProperty(
      rows,
      sizes,
      budget,
      separator,
      needed,
      async (rows, sizes, budget, by, atLeast) => {
        const text = `[${rows.map((row) => JSON.stringify(row)).join(by)}]`;
        const answer = await readWithinBudget(answerOf(text, sizes), budget, atLeast);
        const read = await answer.text();
        const kept: unknown[] = JSON.parse(read);
        if (readRows(answer).endedEarly) {
          assert.ok(kept.length >= atLeast);
          assert.ok(kept.length < rows.length, "a page that ends early has a next page");
          assert.ok(new TextEncoder().encode(text).length > budget);
        } else {
          assert.equal(read, text);
          assert.equal(readRows(answer).bytes, new TextEncoder().encode(text).length);
        }
        assert.deepEqual(kept, JSON.parse(text).slice(0, kept.length));
      },
    ),
  );
});

Deno.test("rows beyond the budget are not read", async () => {
  const row = JSON.stringify({ text: "x".repeat(1_000) });
  let pieces = 0;
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(`${pieces++ === 0 ? "[" : ","}${row}`));
    },
    cancel() {
      isCancelled = true;
    },
  });
  const answer = await readWithinBudget(new Response(endless), 10_000);
  assert.equal(readRows(answer).endedEarly, true);
  const kept = JSON.parse(await answer.text());
  assert.ok(isCancelled);
  assert.ok(kept.length >= 9 && kept.length <= 12 && pieces <= 13, `${kept.length} of ${pieces}`);
});

Deno.test("the first row is kept even if it is larger than the budget", async () => {
  const rows = [{ text: "x".repeat(5_000) }, { text: "y" }];
  const answer = await readWithinBudget(answerOf(JSON.stringify(rows), [700]), 1_000);
  assert.deepEqual(JSON.parse(await answer.text())[0], rows[0]);
});

Deno.test("errors and responses without a body remain unchanged", async () => {
  const error = JSON.stringify({ message: "x".repeat(5_000) });
  const refused = await readWithinBudget(answerOf(error, [100], 500), 10);
  assert.deepEqual([refused.status, await refused.text()], [500, error]);
  const empty = await readWithinBudget(new Response(null, { status: 204 }), 10);
  assert.deepEqual([empty.status, empty.body], [204, null]);
});
