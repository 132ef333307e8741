// Tests that the gateway does expensive work only after it has checked the key. A caller without a
// valid key must cause little work. Ordinary requests need only one round trip
// (round_trips_test.ts).
import assert from "node:assert/strict";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { forget } from "../../supabase/functions/_shared/key/known_keys.ts";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { backgroundWork, watchedStack } from "../support/own_functions.ts";
import { environment } from "../support/test_stack.ts";

const { keys } = await newCompany();
const KIB = 1024;

async function watchedGateway() {
  const database = watchedStack();
  const app = gateway(await readGatewayConfig(environment({ supabaseUrl: database.url })));
  return {
    /** The paths that the gateway has requested from the Data API since the last call of `post`. */
    seen: () => database.seen.map(({ path }) => path.replace("/rest/v1/", "")),
    async post(key: string, body: BodyInit, headers: Record<string, string> = {}) {
      database.seen.length = 0;
      const answer = await app.fetch(
        new Request("http://edge/gateway/contacts", {
          method: "POST",
          headers: { "X-Api-Key": key, "Content-Type": "application/json", ...headers },
          body,
        }),
      );
      return { status: answer.status, body: await answer.json() };
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/**
 * A request body that never ends, in chunks of this size. `taken` returns the number of chunks that
 * the gateway has read.
 */
function endless(pieceBytes = 16 * KIB) {
  let taken = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken++;
      controller.enqueue(new Uint8Array(pieceBytes).fill(0x20));
    },
  }, { highWaterMark: 0 });
  return { stream, taken: () => taken };
}

Deno.test("if the key is wrong, the gateway reads no part of a body of more than 64 KiB", async () => {
  await using functions = await watchedGateway();
  const body = endless();
  const length = { "Content-Length": String(64 * KIB + 1) };
  const { status } = await functions.post("sk_live_wrong", body.stream, length);
  assert.deepEqual([status, body.taken(), functions.seen()], [401, 0, ["rpc/authenticate"]]);
});

Deno.test("a body of unknown length is read up to 64 KiB with a wrong key, and up to 1 MiB with a valid key", async () => {
  await using functions = await watchedGateway();
  const body = endless();
  const { status } = await functions.post("sk_live_wrong", body.stream);
  assert.deepEqual([status, body.taken(), functions.seen()], [401, 5, ["rpc/authenticate"]]);
  const valid = endless();
  assert.equal((await functions.post(keys.all, valid.stream)).status, 413);
  assert.equal(valid.taken(), 65);
});

Deno.test("if the key is wrong, the gateway stops reading a body that arrives in many small chunks", async () => {
  await using functions = await watchedGateway();
  const body = endless(64);
  const { status } = await functions.post("sk_live_wrong", body.stream);
  assert.deepEqual([status, body.taken(), functions.seen()], [401, 33, ["rpc/authenticate"]]);
});

Deno.test("if the key is unknown, a body with many bytes, values or digits is processed only after the key has been checked", async () => {
  await using functions = await watchedGateway();
  // The limit counts four more values than the array has: the body itself, the phone number,
  // `custom_fields` and the array.
  const withValues = (count: number) =>
    JSON.stringify({ phone: anyPhone(), custom_fields: { a: Array(count).fill(0) } });
  const withDigits = (count: number) =>
    `{"phone":"${anyPhone()}","custom_fields":{"a":1.${"0".repeat(count)}}}`;
  const withBytes = (count: number) => `{"phone":"${anyPhone()}"}`.padEnd(count);
  const bodies: [boolean, string][] = [
    [false, withValues(246)],
    [true, withValues(247)],
    [false, withDigits(999)],
    [true, withDigits(1000)],
    [false, withBytes(64 * KIB)],
    [true, withBytes(64 * KIB + 1)],
  ];
  for (const [isExpensive, body] of bodies) {
    for (const announced of [true, false]) {
      const length = { "Content-Length": String(body.length) };
      const post = () =>
        announced
          ? functions.post(keys.all, body, length)
          : functions.post(keys.all, new Blob([body]).stream());
      forget(await hashKey(keys.all));
      // The second request has the same phone number, so it causes a conflict.
      assert.equal((await post()).status, announced ? 201 : 409);
      assert.equal(functions.seen()[0] === "rpc/authenticate", isExpensive);
      await backgroundWork(); // the gateway has recorded the use of the key and therefore knows the key
      assert.equal((await post()).status, 409);
      assert.notEqual(functions.seen()[0], "rpc/authenticate");
    }
  }
});
