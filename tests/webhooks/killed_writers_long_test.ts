// Tests deliveries while eight writers write, runs are killed and the database is down for a while.
// The test takes some minutes, so it runs only with LONG_RUNS=all.
import assert from "node:assert/strict";
import { delay } from "deno-std/async/delay.js";
import { anyPhone, newCompany } from "../support/company.ts";
import { endLeases, startDeliverer } from "../support/killed_runs.ts";
import { watchedStack } from "../support/own_functions.ts";
import { addWebhook, openDeliveries, type Received, receiver } from "../support/receiving.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

const [WRITERS, WRITES, CONTACTS, KILLS, DOWN_MS] = [8, 20_000, 200, 50, 5_000];

/** Changes contacts, one after another, in transactions of one or three writes. */
async function write(contacts: string[], count: number): Promise<void> {
  const any = () => contacts[Math.floor(Math.random() * contacts.length)];
  await withDatabase(async (sql) => {
    for (let written = 0; written < count;) {
      const several = Math.min(Math.random() < 0.3 ? 3 : 1, count - written);
      // All transactions lock contacts in the same order, so that there is no deadlock.
      const ids = Array.from({ length: several }, any).sort();
      await sql.begin(async (sql) => {
        for (const id of ids) {
          await sql`update contacts set job_title = ${crypto.randomUUID()} where id = ${id}`;
        }
      });
      written += several;
    }
  });
}

/** For each record, the ids of its events in the order of their first arrival. */
function firstArrivals(got: Received[], path: string): Map<string, string[]> {
  const seen = new Set<string>();
  const inOrder = got.filter(({ path: own, body }) => {
    const isFirst = own === path && !seen.has(body.id);
    if (isFirst) seen.add(body.id);
    return isFirst;
  });
  const byRecord = Map.groupBy(inOrder, ({ body }) => body.record_id as string);
  return new Map([...byRecord].map(([record, of]) => [record, of.map(({ body }) => body.id)]));
}

Deno.test(
  "every event of 20,000 writes by eight writers arrives in order, although 50 runs are killed and the database is down for five seconds",
  { ignore: Deno.env.get("LONG_RUNS") !== "all" },
  async () => {
    const company = await newCompany();
    const contacts = (await statement`
      insert into contacts (company_id, phone)
      select ${company.id}, phone from unnest(${
      Array.from({ length: CONTACTS }, anyPhone)
    }::text[]) as phone
      returning id
    `).map(({ id }) => id as string);
    await using shop = receiver();
    const columns = { types: ["contact.updated"], payload: "ids" };
    const hooks = await Promise.all(
      ["/one", "/two"].map((path) => addWebhook(company.id, shop.url + path, columns)),
    );
    let downUntil = 0;
    await using database = watchedStack(() =>
      performance.now() < downUntil ? new Response(null, { status: 503 }) : null
    );
    const env = { WEBHOOK_HOSTS: shop.url, SUPABASE_URL: database.url };
    const left = async () =>
      (await Promise.all(hooks.map(openDeliveries))).reduce((sum, { length }) => sum + length, 0);

    const began = performance.now();
    let isWriting = true;
    const writing = Promise.all(
      Array.from({ length: WRITERS }, () => write(contacts, WRITES / WRITERS)),
    ).finally(() => isWriting = false);
    let kills = 0;
    while (isWriting || await left() > 0) {
      await using server = await startDeliverer(env);
      let isOver = false;
      const running = server.deliver(company.id).catch(() => {}).finally(() => isOver = true);
      if (kills < KILLS) {
        const enough = shop.got.length + 20 + 300 * Math.random();
        while (!isOver && shop.got.length < enough) await delay(1);
        if (kills === KILLS / 2 && downUntil === 0) {
          downUntil = performance.now() + DOWN_MS;
          await delay(DOWN_MS);
        }
        if (!isOver) {
          await server.kill();
          kills++;
        }
      }
      await running;
      await endLeases(company.id);
    }
    await writing;
    const seconds = (performance.now() - began) / 1000;

    assert.equal(kills, KILLS);
    const noted = await statement`
      select record_id, array_agg(app.event_name(id) order by seq) as ids from app.events
      where company_id = ${company.id} and type = 'contact.updated' group by record_id
    `;
    assert.equal(noted.reduce((sum, { ids }) => sum + ids.length, 0), WRITES);
    for (const path of ["/one", "/two"]) {
      const arrived = firstArrivals(shop.got, path);
      for (const { record_id, ids } of noted) assert.deepEqual(arrived.get(record_id), ids, path);
    }
    const repeats = shop.got.length - 2 * WRITES;
    console.log(
      `    ${WRITES} writes in ${
        seconds.toFixed(0)
      } s; ${repeats} of ${shop.got.length} requests were repeats`,
    );
  },
);
