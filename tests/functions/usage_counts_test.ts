// Tests the request counts that a function instance keeps until it reports them.
import assert from "node:assert/strict";
import { UsageCounts } from "../../supabase/functions/_shared/usage/counts.ts";

const error = (request_id: string, problem = "Contact not found") => ({
  ...{ code: "not_found", method: "GET", operation: "getContact", path: "/gateway/contacts/{id}" },
  ...{ field: null, problem, request_id },
});
const answered = (keyHash: string, status = 200) => ({ keyHash, status, error: null });

Deno.test("while reports fail, the instance keeps a limited number of counts, and one key's errors never displace another key's errors", () => {
  const counts = new UsageCounts({ counts: 3, kinds: 60 });
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 1_000; n++) {
      counts.add({ ...answered("a", 404), error: error(`a${n}`, `Problem ${n}`) });
      if (n < 20) counts.add({ ...answered("b", 404), error: error(`b${n}`, `Problem ${n}`) });
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
  assert.deepEqual([newest("a")?.problem, newest("b")?.problem], ["Problem 999", "Problem 19"]);
});

Deno.test("requests in the same hour are added to one count, even after a failed report", () => {
  const counts = new UsageCounts();
  const at = ["13:00:00.000", "13:59:59.999", "14:00:00.000"];
  for (const time of at) counts.add(answered("a"), Date.parse(`2026-01-31T${time}Z`));
  counts.putBack(counts.take());
  counts.add(answered("a"), Date.parse("2026-01-31T14:30Z"));
  assert.deepEqual(counts.take().usage.map(({ hour, requests }) => [hour, requests]), [
    ["2026-01-31T13:00:00.000Z", 2],
    ["2026-01-31T14:00:00.000Z", 2],
  ]);
});

Deno.test("any number of equal errors is stored as one entry", () => {
  const counts = new UsageCounts();
  for (let n = 0; n < 1_000; n++) {
    counts.add({ ...answered("a", 404), error: error(`r${n}`) }, Date.parse("2026-01-31") + n);
  }
  const [{ errors, first_at, last_at, requests }, ...others] = counts.take().errors;
  assert.deepEqual(others, []);
  assert.deepEqual([errors, first_at, last_at], [
    ...[1000, "2026-01-31T00:00:00.000Z", "2026-01-31T00:00:00.999Z"],
  ]);
  assert.deepEqual([requests.length, requests[0].id, requests[9].id], [10, "r999", "r990"]);
});

Deno.test("a request method can be any string, and a long method is truncated", () => {
  const counts = new UsageCounts();
  counts.add({ ...answered("a", 405), error: { ...error("1"), method: "X".repeat(1_000) } });
  assert.equal(counts.take().errors[0].method, "X".repeat(16));
});
