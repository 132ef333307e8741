// How often the Data API of the local stack speaks to Postgres for a request: each time is a way there and
// back, and PostgREST needs few.
import assert from "node:assert/strict";
import { decodeBase64Url } from "deno-std/encoding/base64url.js";
import { startRest } from "../../local/rest.ts";
import { newCompany } from "../support/company.ts";
import { keyToken } from "../support/rest.ts";
import { environment, stack } from "../support/stack.ts";

/** A way to the tests' Postgres that counts what is asked on it. */
function counting() {
  const database = new URL(stack.database_url);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let questions = 0;
  const serving = (async () => {
    for await (const from of listener) {
      const to = await Deno.connect({ hostname: "127.0.0.1", port: Number(database.port) });
      let pending = new Uint8Array();
      let isFirst = true;
      const counter = new TransformStream<Uint8Array, Uint8Array>({
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
      from.readable.pipeThrough(counter).pipeTo(to.writable).catch(() => {});
      to.readable.pipeTo(from.writable).catch(() => {});
    }
  })();
  const { port } = listener.addr as Deno.NetAddr;
  return {
    url(role: string): string {
      const address = new URL(database);
      Object.assign(address, { username: role, port: String(port) });
      return address.href;
    },
    get questions() {
      return questions;
    },
    async close() {
      listener.close();
      await serving;
    },
  };
}

Deno.test("a request is begin, its settings, what it asks, and commit; a call also reads its status", async () => {
  const database = counting();
  const { k } = JSON.parse(environment().JWT_SIGNING_KEY);
  const superuser = new URL(stack.database_url);
  superuser.username = "supabase_admin";
  const rest = await startRest({
    url: database.url("authenticator"),
    privilegedUrl: superuser.href,
    jwtSecret: new TextDecoder().decode(decodeBase64Url(k)),
    publishableKey: stack.publishable_key,
    secretKey: stack.secret_key,
  });
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
      const before = database.questions;
      const answer = await rest.fetch(request());
      await answer.body?.cancel();
      assert.ok(answer.ok, `${name} ${answer.status}`);
      counts[name] = database.questions - before;
    }
  }
  await rest.close();
  await database.close();
  assert.deepEqual(counts, { list: 4, call: 5 });
});
