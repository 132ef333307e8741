// How often the Data API of the local stack speaks to Postgres for a request: each time is a way there and
// back, and PostgREST needs few.
import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { keyToken } from "../support/rest.ts";
import { stack } from "../support/test_stack.ts";
import { startLite } from "./lite.ts";
import { openDoor } from "./postgres_door.ts";

/** A door to the tests' Postgres that counts what is asked through it. */
function countingDoor() {
  let questions = 0;
  const door = openDoor(() => {
    let pending = new Uint8Array();
    let isFirst = true;
    return new TransformStream({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        pending = new Uint8Array([...pending, ...chunk]);
        for (;;) {
          // The first message has no letter before its length.
          const start = isFirst ? 0 : 1;
          if (pending.length < start + 4) return;
          const end = start + new DataView(pending.buffer).getInt32(start);
          if (pending.length < end) return;
          // Sync ends a question of the extended protocol, Query is one of the simple protocol.
          if (!isFirst && "SQ".includes(String.fromCharCode(pending[0]))) questions++;
          pending = pending.slice(end);
          isFirst = false;
        }
      },
    });
  });
  return { ...door, questions: () => questions };
}

Deno.test("a request is begin, its settings, what it asks, and commit; a call also reads its status", async () => {
  const database = countingDoor();
  const direct = openDoor();
  const rest = await startLite((role) => (role === "authenticator" ? database : direct).url(role));
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
    for (let time = 1; time <= 2; time++) { // the first one also connects and learns the types
      const before = database.questions();
      const answer = await rest.fetch(request());
      await answer.body?.cancel();
      assert.ok(answer.ok, `${name} ${answer.status}`);
      counts[name] = database.questions() - before;
    }
  }
  await rest.close();
  database.shut();
  direct.shut();
  assert.deepEqual(counts, { list: 4, call: 5 });
});
