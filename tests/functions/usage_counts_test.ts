// What an instance keeps of the use of keys until it is told.
import assert from "node:assert/strict";
import { UsageCounts } from "../../supabase/functions/_shared/usage/counts.ts";

const error = (request_id: string) => ({
  ...{ code: "not_found", method: "GET", operation: "getContact", request_id },
});
const answered = (keyHash: string, status = 200) => ({ keyHash, status, error: null });

Deno.test("requests are counted by key, day of UTC and status", () => {
  const counts = new UsageCounts();
  assert.ok(counts.isEmpty);
  for (const time of ["2026-11-22T23:59:59.999Z", "2026-11-23T00:00:00Z", "2026-11-23T12:00:00Z"]) {
    counts.add(answered("a"), Date.parse(time));
  }
  counts.add(answered("b"), Date.parse("2026-11-23T12:00:00Z"));
  counts.add({ ...answered("a", 404), error: error("1") }, Date.parse("2026-11-23T12:00:00Z"));
  assert.ok(!counts.isEmpty);
  assert.deepEqual(counts.take(), {
    usage: [
      { key_hash: "a", day: "2026-11-22", status: 200, requests: 1 },
      { key_hash: "a", day: "2026-11-23", status: 200, requests: 2 },
      { key_hash: "b", day: "2026-11-23", status: 200, requests: 1 },
      { key_hash: "a", day: "2026-11-23", status: 404, requests: 1 },
    ],
    errors: [{ key_hash: "a", at: "2026-11-23T12:00:00.000Z", status: 404, ...error("1") }],
  });
  assert.ok(counts.isEmpty);
});

Deno.test("what could not be told is added to what was counted meanwhile, the errors in their order", () => {
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

Deno.test("while nothing can be told, what is kept is bounded, and no key pushes out the errors of another", () => {
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

Deno.test("a method is the caller's own word, and is cut", () => {
  const counts = new UsageCounts();
  counts.add({ ...answered("a", 405), error: { ...error("1"), method: "X".repeat(1_000) } });
  assert.equal(counts.take().errors[0].method, "X".repeat(16));
});
