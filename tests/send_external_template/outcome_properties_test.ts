import assert from "node:assert/strict";
import * as fc from "fast-check";
import { outcomeOf } from "../../supabase/functions/_shared/channel/outcome.ts";
import { runs } from "../support/runs.ts";

const junk = fc.oneof(
  { depthSize: "small" },
  fc.jsonValue({ maxDepth: 3 }),
  fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true }),
  fc.constantFrom(undefined, null, NaN, Infinity, 1e308, 132001, "132001", "wamid.x", "__proto__"),
);
const anyId = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.string({ unit: fc.constantFrom("w", "!", "~", " ", "\n", "é"), maxLength: 300 }),
  junk,
);
const nearlyAccepted = fc.record({
  messages: fc.oneof(
    fc.array(fc.oneof(fc.record({ id: anyId, message_status: junk }), junk), { maxLength: 3 }),
    junk,
  ),
  error: junk,
}, { requiredKeys: [] });
const nearlyRefused = fc.record({
  error: fc.oneof(
    fc.record({
      code: fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.double(), junk),
      message: junk,
      error_data: fc.oneof(fc.record({ details: junk }), junk),
      fbtrace_id: junk,
    }, { requiredKeys: [] }),
    junk,
  ),
  messages: junk,
}, { requiredKeys: [] });
const anyBody = fc.oneof(nearlyAccepted, nearlyRefused, junk);
const anyStatus = fc.oneof(
  fc.integer({ min: 100, max: 599 }),
  fc.constantFrom(200, 201, 302, 400, 401, 429, 500, 503),
);
const anyHeader = fc.option(
  fc.oneof(
    fc.string(),
    fc.nat().map(String),
    fc.bigInt().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  ),
);

/** The id of the first message in a response body, if the id can be read and stored. */
function readableId(body: unknown): string | null {
  const id = (body as { messages?: { id?: unknown }[] } | null | undefined)?.messages?.[0]?.id;
  const isReadable = typeof id === "string" && id.length <= 255 && /^[!-~]+$/.test(id);
  return isReadable ? id : null;
}

Deno.test("`outcomeOf` returns an outcome for every channel response, and `accepted` only with a message id", () => {
  const property = fc.property(anyStatus, anyBody, anyHeader, (status, body, retryAfter) => {
    const outcome = outcomeOf({ status, body, retryAfter });
    switch (outcome.kind) {
      case "accepted":
        assert.ok(status >= 200 && status < 300);
        assert.equal(outcome.whatsappMessageId, readableId(body));
        break;
      case "refused":
        assert.ok(Number.isInteger(outcome.channel.code));
        assert.equal(typeof outcome.channel.message, "string");
        break;
      case "not_taken":
        if (outcome.retryAfter === undefined) break;
        assert.ok(Number.isInteger(outcome.retryAfter));
        assert.ok(outcome.retryAfter >= 0 && outcome.retryAfter <= 86_400);
        break;
      default:
        assert.equal(outcome.kind, "unknown");
    }
  });
  fc.assert(property, { numRuns: runs(3_000) });
});
