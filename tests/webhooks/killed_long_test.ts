// Tests deliveries while the function is killed repeatedly, while the database is down, and while
// other receivers do not respond.
import assert from "node:assert/strict";
import { delay } from "deno-std/async/delay.js";
import { newCompany } from "../support/company.ts";
import { endLeases, startDeliverer } from "../support/killed_runs.ts";
import { ownWebhooks, watchedStack } from "../support/own_functions.ts";
import {
  addWebhook,
  type MadeWebhook,
  noteEvents,
  openDeliveries,
  type Received,
  receiver,
} from "../support/receiving.ts";
import { statement } from "../support/test_stack.ts";

// LONG_RUNS=all also runs the tests that take several minutes.
const [LONG, ALL] = [{ ignore: !Deno.env.get("LONG_RUNS") }, Deno.env.get("LONG_RUNS") === "all"];
const [EVENTS, KILLS] = ALL ? [2_000, 30] : [500, 8];

/** Creates events for these records in turn. The type of each event contains its number. */
const eventsOf = (records: string[], count: number, webhooks: MadeWebhook[]) =>
  Array.from({ length: count }, (_, at) => ({
    type: `deal.number_${at}`,
    record_id: records[at % records.length],
    webhooks: webhooks.map(({ id }) => id),
  }));

/** For each record, the numbers of its events in the order of their first arrival. */
function firstArrivals(got: Received[], path: string): Map<string, number[]> {
  const seen = new Set<string>();
  const first = got.filter(({ path: own, headers }) => {
    const isNew = own === path && !seen.has(headers["webhook-id"]);
    if (isNew) seen.add(headers["webhook-id"]);
    return isNew;
  });
  const byRecord = Map.groupBy(first, ({ body }) => body.record_id as string);
  return new Map(
    [...byRecord].map((
      [record, of],
    ) => [record, of.map(({ body }) => Number(body.type.slice(12)))]),
  );
}

function assertAllInOrder(got: Received[], path: string, records: string[], count: number) {
  const arrived = firstArrivals(got, path);
  for (const [at, record] of records.entries()) {
    const wanted = Array.from({ length: count }, (_, place) => place)
      .filter((place) => place % records.length === at);
    assert.deepEqual(arrived.get(record), wanted, path);
  }
}

Deno.test(
  "no delivery is lost or out of order while the function is killed repeatedly",
  LONG,
  async () => {
    const company = await newCompany();
    await using shop = receiver(async () => {
      await delay(Math.random() * 10);
      return new Response(null, { status: 204 });
    });
    const hooks = await Promise.all(
      ["/one", "/two"].map((path) => addWebhook(company.id, shop.url + path)),
    );
    const records = Array.from({ length: 100 }, () => crypto.randomUUID());
    await noteEvents(company.id, eventsOf(records, EVENTS, hooks));
    const left = async () =>
      (await Promise.all(hooks.map(openDeliveries))).reduce((sum, { length }) => sum + length, 0);
    let kills = 0;
    const killedWithWork = { count: 0 };
    while (await left() > 0) {
      await using server = await startDeliverer({ WEBHOOK_HOSTS: shop.url });
      const arrived = shop.got.length;
      let isOver = false;
      const running = server.deliver(company.id).catch(() => {}).finally(() => isOver = true);
      if (kills < KILLS) {
        // After some deliveries have arrived, the run is killed while it sends others. A late
        // statement of the previous run may still renew the lease. Then this run ends immediately
        // and is not killed.
        const enough = arrived + 20 + (EVENTS / 20) * Math.random();
        while (!isOver && shop.got.length < enough) await delay(1);
        if (!isOver) {
          await server.kill();
          kills++;
          killedWithWork.count += Number(await left() > 0);
        }
      }
      await running;
      await endLeases(company.id);
    }
    assert.deepEqual([kills, killedWithWork.count >= KILLS - 1], [KILLS, true]);
    for (const path of ["/one", "/two"]) assertAllInOrder(shop.got, path, records, EVENTS);
    console.log(`    ${shop.got.length - 2 * EVENTS} of ${shop.got.length} requests were repeats`);
  },
);

Deno.test("a run continues after the database was down for five seconds", LONG, async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const records = Array.from({ length: 50 }, () => crypto.randomUUID());
  await noteEvents(company.id, eventsOf(records, 1_000, [webhook]));
  let downUntil = Infinity;
  await using database = watchedStack(() => {
    if (shop.got.length > 200 && downUntil === Infinity) downUntil = performance.now() + 5_000;
    const isDown = shop.got.length > 200 && performance.now() < downUntil;
    return isDown ? new Response(null, { status: 503 }) : null;
  });
  const own = await ownWebhooks([shop.url], { supabaseUrl: database.url, cpuMs: 60_000 });
  const { error } = console;
  console.error = () => {}; // hides the log lines about the database
  try {
    await own(company.id);
  } finally {
    console.error = error;
  }
  assert.equal((await openDeliveries(webhook)).length, 0);
  assertAllInOrder(shop.got, "/", records, 1_000);
  assert.equal(shop.got.length, 1_000); // no event was sent twice
});

Deno.test(
  "silent and failing receivers receive few requests and do not delay other receivers",
  LONG,
  async () => {
    const company = await newCompany();
    const silence = Promise.withResolvers<Response>();
    await using silent = receiver(() => silence.promise);
    await using failing = receiver(() => new Response("no", { status: 500 }));
    await using shop = receiver();
    const records = Array.from({ length: 1_000 }, () => crypto.randomUUID());
    const broken = [
      await addWebhook(company.id, silent.url),
      await addWebhook(company.id, failing.url),
    ];
    await noteEvents(company.id, eventsOf(records, 1_000, broken));
    const webhook = await addWebhook(company.id, shop.url);
    const own = await ownWebhooks([silent.url, failing.url, shop.url], { cpuMs: 60_000 });
    const running = own(company.id);
    await delay(500);
    for (let write = 0; write < 20; write++) {
      const sent = shop.got.length;
      await noteEvents(company.id, eventsOf([crypto.randomUUID()], 1, [webhook]));
      while (shop.got.length === sent) await delay(5);
    }
    // Every event has arrived at the working receiver, although the silent receiver has not yet
    // responded to its first requests.
    assert.ok(silent.got.length <= 30, `${silent.got.length} requests to the silent receiver`);
    assert.ok(failing.got.length <= 30, `${failing.got.length} requests to the failing receiver`);
    silence.resolve(new Response());
    await running;
  },
);

Deno.test(
  "if 60,000 events occur while a receiver is down, the queue remains limited and all events arrive later",
  { ignore: !ALL },
  async () => {
    const company = await newCompany();
    let isDown = true;
    await using shop = receiver(() => new Response(null, { status: isDown ? 500 : 204 }));
    const webhook = await addWebhook(company.id, shop.url, { payload: "ids" });
    const records = Array.from({ length: 500 }, () => crypto.randomUUID());
    const own = await ownWebhooks([shop.url], { cpuMs: 600_000, runMs: 300_000 });
    let written = 0;
    for (; written < 60_000; written += 2_000) {
      // The trigger queues nothing for a webhook that is catching up.
      const [{ state }] = await statement`select state from webhooks where id = ${webhook.id}`;
      const all = eventsOf(records, written + 2_000, state === "on" ? [webhook] : []);
      await noteEvents(company.id, all.slice(written));
      await own(company.id);
    }
    const [{ state }] = await statement`select state from webhooks where id = ${webhook.id}`;
    assert.equal(state, "catching_up");
    assert.ok((await openDeliveries(webhook)).length <= 52_000);
    isDown = false;
    shop.got.length = 0;
    await statement`update webhooks set paused_until = null where id = ${webhook.id}`;
    for (let tries = 0; tries < 10 && firstCount(shop.got) < 60_000; tries++) await own(company.id);
    assertAllInOrder(shop.got, "/", records, 60_000);
  },
);

const firstCount = (got: Received[]) =>
  new Set(got.map(({ headers }) => headers["webhook-id"])).size;
