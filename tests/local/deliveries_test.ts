// `npm start` delivers events to webhooks automatically.
import assert from "node:assert/strict";
import { runDeliveries } from "../../local/deliveries.ts";
import type { Sql } from "../../local/postgres/database.ts";
import { until } from "../support/started.ts";

/** A replacement for the `webhooks` function. The test determines its responses. */
function ownFunction(answer: (count: number) => Response | Promise<Response>) {
  const calls: unknown[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      calls.push([pathname, request.headers.get("Authorization"), await request.text()]);
      return await answer(calls.length);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    calls,
    [Symbol.asyncDispose]: async () => await server.shutdown(),
  };
}

/** A database that reports whether a webhook is switched on. */
const database = (needed: boolean) => (() => Promise.resolve([{ needed }])) as unknown as Sql;

Deno.test("while a webhook is switched on, each delivery run is followed by the next run", async () => {
  await using own = ownFunction(() => new Response("{}"));
  const deliveries = runDeliveries(database(true), own.url, "the-secret");
  await until(() => own.calls.length >= 2);
  await deliveries.stop();
  assert.deepEqual(own.calls[0], ["/jobs/deliver", "Bearer the-secret", "{}"]);
  const { length } = own.calls;
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(own.calls.length, length);
});

Deno.test("no delivery run starts while all webhooks are switched off, and a database failure does not stop deliveries", async () => {
  await using own = ownFunction(() => new Response("{}"));
  let isDown = true;
  let asked = 0;
  const sql = (() => {
    asked++;
    if (asked === 1) return Promise.resolve([]); // an earlier stack has left no unfinished run
    return isDown ? Promise.reject(new Error("down")) : Promise.resolve([{ needed: false }]);
  }) as unknown as Sql;
  const deliveries = runDeliveries(sql, own.url, "the-secret");
  await until(() => asked >= 2);
  isDown = false;
  await until(() => asked >= 4);
  await deliveries.stop();
  assert.equal(own.calls.length, 0);
});

Deno.test("stopping deliveries prevents further runs, waits for the current run, and aborts a run that hangs", async () => {
  const over = Promise.withResolvers<Response>();
  await using own = ownFunction((count) => count === 1 ? new Response("{}") : over.promise);
  const deliveries = runDeliveries(database(true), own.url, "the-secret");
  await until(() => own.calls.length === 2);
  deliveries.end();
  await deliveries.stop();
  assert.equal(own.calls.length, 2);
  over.resolve(new Response());
});
