// `npm start` delivers events to webhooks automatically.
import assert from "node:assert/strict";
import { runDeliveries } from "../../local/deliveries.ts";
import type { Sql } from "../../local/postgres/database.ts";
import { webhooks } from "../../supabase/functions/webhooks/app.ts";
import { readWebhooksConfig } from "../../supabase/functions/webhooks/webhooks_config.ts";
import { call } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { backgroundWork } from "../support/own_functions.ts";
import { addWebhook, noteEvents, receiver } from "../support/receiving.ts";
import { pause, until } from "../support/started.ts";
import { environment, stack, withDatabase } from "../support/test_stack.ts";

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
function database(needed: boolean): Sql {
  const statement = () => Promise.resolve([{ needed }]);
  const begin = (work: (sql: unknown) => Promise<unknown>) => work(statement);
  return Object.assign(statement, { begin }) as unknown as Sql;
}

Deno.test("if a call begins no delivery run although a webhook is switched on, the stack calls again", async () => {
  await using own = ownFunction(() => new Response("{}", { status: 409 }));
  const deliveries = runDeliveries(database(true), own.url, "the-secret");
  await until(() => own.calls.length >= 2);
  await deliveries.stop();
  assert.deepEqual(own.calls[0], ["/jobs/deliver", "Bearer the-secret", "{}"]);
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

Deno.test("after deliveries are stopped, the stack no longer checks whether a delivery run is needed", async () => {
  let checks = 0;
  const sql = (() => Promise.resolve([{ needed: ++checks < 0 }])) as unknown as Sql;
  const deliveries = runDeliveries(sql, "http://127.0.0.1:9", "the-secret");
  await until(() => checks >= 2);
  await deliveries.stop();
  const before = checks;
  await pause(600); // longer than the pause between two checks
  assert.equal(checks, before);
});

Deno.test("stopping deliveries prevents further calls, and aborts a call that hangs", async () => {
  const over = Promise.withResolvers<Response>();
  await using own = ownFunction(() => over.promise);
  const deliveries = runDeliveries(database(true), own.url, "the-secret");
  await until(() => own.calls.length === 1);
  await deliveries.stop();
  assert.equal(own.calls.length, 1);
  over.resolve(new Response());
});

Deno.test("the change feed shows a new change even while a delivery run is active", async () => {
  const [company, shop] = [await newCompany(), receiver()];
  await using _ = shop;
  const config = await readWebhooksConfig(environment({ supabaseUrl: stack.url }));
  const app = webhooks({ ...config, addresses: { hosts: [shop.url] } });
  // The run delivers only this company's events, so it takes no events of other tests.
  const body = JSON.stringify({ company_id: company.id });
  let hasResponded = false;
  await using own = ownFunction(async () => {
    const answer = await app.request("http://edge/webhooks/jobs/deliver", {
      method: "POST",
      headers: {
        Authorization: `Bearer ${config.jobsSecret}`,
        "Content-Type": "application/json",
      },
      body,
    });
    hasResponded = true;
    return answer;
  });
  const feed = async (cursor: string) =>
    (await call(company.keys.all, "GET", `/contacts/changes?${cursor}`)).body;
  const webhook = await addWebhook(company.id, shop.url);
  const note = () =>
    noteEvents(company.id, [
      { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id] },
    ]);
  const won = () => shop.got.filter(({ body }) => body.type === "deal.won");
  await withDatabase(async (owner) => {
    // At its start, `runDeliveries` ends all leases on webhooks. Other tests need their leases, so
    // only the calls of the job use the real database.
    const begin = owner.begin.bind(owner);
    const sql = Object.assign(database(true), { begin });
    const deliveries = runDeliveries(sql, own.url, "the-secret");
    await note();
    await until(() => won().length === 1 && hasResponded);
    const { pagination: { next_cursor } } = await feed("start=now");
    const path = `/contacts/${company.contact_id}`;
    const json = { phone: anyPhone(), name: "Changed" };
    assert.equal((await call(company.keys.all, "PATCH", path, { json })).status, 200);
    await until(async () => (await feed(`cursor=${next_cursor}`)).data.length === 1);
    // The same run is still active.
    await note();
    await until(() => won().length === 2);
    assert.equal(own.calls.length, 1);
    await deliveries.stop();
    // The run ends at an announcement, unless it is reading deliveries at that moment.
    const announcing = setInterval(() => dispatchEvent(new Event("beforeunload")), 50);
    await backgroundWork();
    clearInterval(announcing);
  });
});
