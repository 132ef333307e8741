// Tests that the function in docs/retrying.md does what the page says.
import assert from "node:assert/strict";
import { readPage } from "./pages.ts";

const { blocks } = await readPage("docs/retrying.md");
const program = blocks.find(({ language }) => language === "js")!.text;

interface Outcome {
  /** The status of the returned response, or the message of the thrown error. */
  end: number | string;
  calls: number;
  waits: number[];
}

/** A response from a service that is sometimes down. `null` means no response. */
type Given = [status: number, body?: unknown, retryAfter?: string] | null;

/**
 * Runs the page's function against a service that returns these responses, without waiting between
 * tries.
 */
async function run(given: Given[], isRepeatable: boolean): Promise<Outcome> {
  const waits: number[] = [];
  let calls = 0;
  const fetch = () => {
    const next = given[Math.min(calls++, given.length - 1)];
    if (!next) return Promise.reject(new TypeError("The connection broke"));
    const [status, body = {}, retryAfter] = next;
    const headers = retryAfter === undefined ? undefined : { "Retry-After": retryAfter };
    return Promise.resolve(Response.json(body, { status, headers }));
  };
  const setTimeout = (done: () => void, ms: number) => {
    waits.push(ms);
    done();
  };
  const withRetries = new Function("fetch", "setTimeout", `${program}\nreturn withRetries;`)(
    fetch,
    setTimeout,
  );
  const end = await withRetries({ url: "http://localhost/" }, isRepeatable)
    .then(({ status }: Response) => status, ({ message }: Error) => message);
  return { end, calls, waits };
}

const UNKNOWN = "No answer; whether it was done is not known";

Deno.test("the function in docs/retrying.md repeats only requests that are safe to repeat", async () => {
  const cases: [Given[], isRepeatable: boolean, end: number | string, calls: number][] = [
    [[null, [503], [200]], true, 200, 3],
    [[null, [200]], false, UNKNOWN, 1],
    [[[503], [200]], false, 503, 1],
    [[[429], [201]], false, 201, 2],
    [[[502, { outcome: "not_sent" }], [200]], false, 200, 2],
    [[[502, { outcome: "unknown" }], [200]], false, 502, 1],
    [[[502, { outcome: "unknown" }], [200]], true, 200, 2],
    [[[409, { code: "idempotency_in_progress" }], [201]], true, 201, 2],
    [[[409, { code: "conflict" }]], true, 409, 1],
    [[[422]], true, 422, 1],
    [[[503]], true, 503, 5],
    [[null], true, UNKNOWN, 5],
  ];
  for (const [given, isRepeatable, end, calls] of cases) {
    const outcome = await run(given, isRepeatable);
    assert.deepEqual([outcome.end, outcome.calls], [end, calls], JSON.stringify(given));
  }
});

Deno.test("the function in docs/retrying.md waits as long as `Retry-After` says, and otherwise for a random time below a growing limit", async () => {
  const { waits } = await run([[429, {}, "2"], [503], [503], [200]], true);
  const [told, second, third] = waits;
  assert.equal(told, 2_000);
  assert.ok(second < 1_000 && third < 2_000, String(waits));
});
