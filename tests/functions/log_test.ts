import assert from "node:assert/strict";
import * as fc from "fast-check";
import { logEvent, logFailure, logWarning } from "../../supabase/functions/_shared/log.ts";
import { logged } from "../support/log_lines.ts";
import { nastyText } from "../support/nasty_text.ts";

const MAX_BYTES = 8192;

function bytesOf(line: string): number {
  return new TextEncoder().encode(`${line}\n`).length;
}

Deno.test("every log line is JSON of at most 8 KiB, even if it contains an unusual value", async () => {
  const anyText = fc.tuple(nastyText, fc.constantFrom(1, 1, 30, 3_000)).map(([text, times]) =>
    text.repeat(times)
  );
  const anyFacts = fc.dictionary(nastyText, fc.oneof(anyText, fc.jsonValue(), fc.array(anyText)), {
    maxKeys: 4,
  });
  await fc.assert(
    fc.asyncProperty(anyText, anyText, anyText, anyFacts, async (path, method, text, facts) => {
      const origin = { requestId: "an-id", method, path };
      const lines = await logged(() => {
        logFailure(origin, "failed", new Error(text), facts);
        logFailure(origin, "failed", Object.assign(new Error(text), { logFacts: () => facts }));
        logWarning(origin, "odd", facts);
        logEvent(origin, "done", facts);
        return Promise.resolve();
      });
      assert.equal(lines.length, 4);
      for (const line of lines) {
        assert.ok(bytesOf(line) <= MAX_BYTES, String(bytesOf(line)));
        assert.ok("request_id" in JSON.parse(line));
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("a string that makes a log line too long is truncated and marked as truncated, and other strings remain whole", async () => {
  const origin = { requestId: "an-id", method: "GET", path: `/${"é".repeat(20_000)}` };
  const [line] = await logged(() => {
    logWarning(origin, "odd", { code: "kept", nested: { texts: ["🚚".repeat(9_000)] } });
    return Promise.resolve();
  });
  const { level, event, request_id, method, path, code, nested } = JSON.parse(line);
  assert.deepEqual(
    [level, event, request_id, method, code],
    ["warn", "odd", "an-id", "GET", "kept"],
  );
  assert.match(path, /^\/é+… \(cut, 20001 characters\)$/);
  assert.match(nested.texts[0], /^(🚚)+.?… \(cut, 18000 characters\)$/);
});

Deno.test("a log line omits strings that look like an API key", async () => {
  const key = "sk_live_aB-9_x";
  const [line] = await logged(() => {
    logFailure({ requestId: key, path: `/gateway/${key}/x` }, "failed", new Error(`no ${key}`));
    return Promise.resolve();
  });
  assert.ok(!line.includes("aB-9"), line);
  assert.equal(JSON.parse(line).path, "/gateway/sk_live_…/x");
});
