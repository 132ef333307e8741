// Tests the number of statements that the local stack's Data API sends to Postgres for a request.
// Each statement is a round trip, and PostgREST needs few round trips.
import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { keyToken } from "../support/rest.ts";
import { stack } from "../support/test_stack.ts";
import { startLite } from "./lite.ts";
import { startProxy } from "./postgres_proxy.ts";

/** A proxy for the tests' Postgres that counts the statements. */
function startCountingProxy() {
  let statements = 0;
  const proxy = startProxy(() => {
    let pending = new Uint8Array();
    let isFirst = true;
    return new TransformStream({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        pending = new Uint8Array([...pending, ...chunk]);
        for (;;) {
          // The first message has no type letter before its length.
          const start = isFirst ? 0 : 1;
          if (pending.length < start + 4) return;
          const end = start + new DataView(pending.buffer).getInt32(start);
          if (pending.length < end) return;
          // `Sync` ends a statement in the extended protocol. `Query` is a statement in the simple
          // protocol.
          if (!isFirst && "SQ".includes(String.fromCharCode(pending[0]))) statements++;
          pending = pending.slice(end);
          isFirst = false;
        }
      },
    });
  });
  return { ...proxy, statements: () => statements };
}

Deno.test("a request needs four statements, and a function call needs five", async () => {
  const counting = startCountingProxy();
  const direct = startProxy();
  const rest = await startLite((role) => (role === "authenticator" ? counting : direct).url(role));
  const { keys } = await newCompany();
  const headers = {
    apikey: stack.publishable_key,
    Authorization: `Bearer ${await keyToken(keys.all, "read")}`,
    "Content-Type": "application/json",
  };
  const requests = {
    list: () => new Request("http://rest/rest/v1/contacts?select=id", { headers }),
    call: () =>
      new Request("http://rest/rest/v1/rpc/authenticate", { method: "POST", headers, body: "{}" }),
  };
  const counts: Record<string, number> = {};
  for (const [name, request] of Object.entries(requests)) {
    for (let time = 1; time <= 2; time++) { // the first request also connects and loads the types
      const before = counting.statements();
      const answer = await rest.fetch(request());
      await answer.body?.cancel();
      assert.ok(answer.ok, `${name} ${answer.status}`);
      counts[name] = counting.statements() - before;
    }
  }
  await rest.close();
  counting.cut();
  direct.cut();
  assert.deepEqual(counts, { list: 4, call: 5 });
});
