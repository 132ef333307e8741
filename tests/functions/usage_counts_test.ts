// Tests what a function instance keeps about the usage of keys until it is reported.
import assert from "node:assert/strict";
import { UsageCounts } from "../../supabase/functions/_shared/usage/counts.ts";

const error = (request_id: string) => ({
  ...{ code: "not_found", method: "GET", operation: "getContact", request_id },
});
const answered = (keyHash: string, status = 200) => ({ keyHash, status, error: null });

Deno.test("counts that could not be reported are added to newer counts, and errors keep their order", () => {
  const counts = new UsageCounts();
  counts.add({ ...answered("a", 404), error: error("1") });
  counts.add(answered("a"));
  const taken = counts.take();
  counts.add(answered("a"));
  counts.add({ ...answered("a", 404), error: error("2") });
  counts.putBack(taken);
  const { usage, errors } = counts.take();
  assert.deepEqual(usage.map(({ status, requests }) => [status, requests]), [[404, 2], [200, 2]]);
  assert.deepEqual(errors.map(({ request_id }) => request_id), ["1", "2"]);
});

Deno.test("while no report succeeds, the kept counts are limited, and no key displaces another key's errors", () => {
  const counts = new UsageCounts({ counts: 3, errors: 60 });
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 1_000; n++) {
      counts.add({ ...answered("a", 404), error: error(`a${n}`) });
      if (n < 20) counts.add({ ...answered("b", 404), error: error(`b${n}`) });
      counts.add(answered(`key ${n}`));
    }
    counts.putBack(counts.take());
  }
  const { usage, errors } = counts.take();
  assert.deepEqual(
    usage.map(({ key_hash, requests }) => [key_hash, requests]),
    [["a", 3000], ["b", 60], ["key 0", 3]],
  );
  assert.equal(errors.length, 60);
  const newest = (key: string) => errors.filter(({ key_hash }) => key_hash === key).at(-1);
  assert.deepEqual([newest("a")?.request_id, newest("b")?.request_id], ["a999", "b19"]);
});

Deno.test("a request's method can be any text, and a long one is cut", () => {
  const counts = new UsageCounts();
  counts.add({ ...answered("a", 405), error: { ...error("1"), method: "X".repeat(1_000) } });
  assert.equal(counts.take().errors[0].method, "X".repeat(16));
});
