import assert from "node:assert/strict";
import { delay } from "deno-std/async/delay.js";
import { InstanceCpu } from "../../supabase/functions/webhooks/deliver/cpu_time.ts";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany, newCompanyWithTemplate } from "../support/company.ts";
import { ownRun } from "../support/own_functions.ts";
import { addWebhook, type MadeWebhook, noteEvents, receiver } from "../support/receiving.ts";
import { until } from "../support/started.ts";
import { statement } from "../support/test_stack.ts";

Deno.test("a run whose CPU time is used up starts the next run before its last responses arrive", async () => {
  const company = await newCompany();
  const slow = Promise.withResolvers<void>();
  await using shop = receiver(async ({ path }) => {
    if (path === "/slow") await slow.promise;
    return new Response(null, { status: 204 });
  });
  const waiting = await addWebhook(company.id, `${shop.url}/slow`);
  const idle = await addWebhook(company.id, `${shop.url}/quick`);
  await noteEvents(company.id, [
    ...Array.from({ length: 30 }, () => ({
      ...{ type: "deal.updated", record_id: crypto.randomUUID(), webhooks: [waiting.id] },
    })),
    { type: "deal.updated", record_id: company.deal_id, webhooks: [idle.id] },
  ]);
  const spent = Promise.withResolvers<void>();
  const run = await ownRun(company.id, [shop.url], { spent: spent.resolve }, { cpuMs: 15 });
  const ended = run.run({ untilMs: performance.now() + 30_000, untilIdle: true });
  try {
    await Promise.race([spent.promise, ended]);
    const isLeased = async ({ id }: MadeWebhook) =>
      (await statement`select lease_id from webhooks where id = ${id}`)[0].lease_id !== null;
    // The lease ends when the outcome of the webhook's request is stored.
    await until(async () => !await isLeased(idle));
    assert.equal(await isLeased(waiting), true);
  } finally {
    slow.resolve();
  }
  assert.equal(await ended, "budget");
});

Deno.test("a run whose CPU time is used up while nothing is due starts the next run", async () => {
  const company = await newCompany();
  const steps: string[] = [];
  const run = await ownRun(company.id, [], { spent: () => steps.push("next run") }, { cpuMs: 1 });
  run.db.freeSlot = () => {
    steps.push("free slot");
    return Promise.resolve();
  };
  const end = await run.run({ untilMs: performance.now() + 30_000, untilIdle: false });
  assert.deepEqual([end, steps], ["budget", ["free slot", "next run"]]);
});

Deno.test("a run ends if the other runs of its instance use up the instance's CPU time", async () => {
  const company = await newCompany();
  const instance = new InstanceCpu(100);
  let otherRunMs = 0;
  instance.begin(() => otherRunMs);
  let isNextCalled = false;
  const spent = () => isNextCalled = true;
  const run = await ownRun(company.id, [], { spent }, { cpuMs: 100 }, instance);
  const ended = run.run({ untilMs: performance.now() + 30_000, untilIdle: false });
  otherRunMs = 170;
  assert.deepEqual([await ended, isNextCalled], ["budget", true]);
});

Deno.test("a new run works even if the earlier runs used more CPU time than expected", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const event = { type: "deal.updated", record_id: company.deal_id, webhooks: [webhook.id] };
  await noteEvents(company.id, [event]);
  const instance = new InstanceCpu(1_000);
  instance.begin(() => 5_000)();
  instance.begin(() => 5_000);
  const run = await ownRun(company.id, [shop.url], {}, {}, instance);
  const end = await run.run({ untilMs: performance.now() + 30_000, untilIdle: true });
  assert.deepEqual([end, run.result.delivered], ["idle", 1]);
});

Deno.test("a run that frees its slot keeps the leases of its webhooks", async () => {
  const company = await newCompany();
  const run = crypto.randomUUID();
  await addWebhook(company.id, "https://receiver.example", { lease_id: run });
  await rolledBack(async (sql) => {
    await sql`
      update app.delivery_runs set run_id = ${run}
      where place = (select place from app.delivery_runs limit 1 for update skip locked)
    `;
    const kept = async () => {
      const [{ slots, leases }] = await sql`
        select (select count(*)::int from app.delivery_runs where run_id = ${run}) as slots,
          (select count(*)::int from webhooks where lease_id = ${run}) as leases
      `;
      return [slots, leases];
    };
    assert.deepEqual(await kept(), [1, 1]);
    await sql`select release_webhooks(${run}, '{}')`;
    assert.deepEqual(await kept(), [0, 1]);
    await sql`select release_webhooks(${run})`;
    assert.deepEqual(await kept(), [0, 0]);
  });
});

Deno.test("a run reads at most six megabytes of records that it cannot send yet", async () => {
  const company = await newCompany();
  const slow = Promise.withResolvers<void>();
  await using shop = receiver(async () => {
    await slow.promise;
    return new Response(null, { status: 204 });
  });
  const webhooks = await Promise.all(
    Array.from({ length: 10 }, () => addWebhook(company.id, shop.url)),
  );
  const contacts = await statement`
    insert into contacts (company_id, phone, custom_fields)
    select ${company.id}, '+1415555' || 1000 + place, jsonb_build_object('note', repeat('a', 16000))
    from generate_series(1, 70) as place
    returning id
  `;
  await noteEvents(
    company.id,
    contacts.map(({ id }) => ({
      ...{ type: "contact.updated", record_id: id, webhooks: webhooks.map(({ id }) => id) },
    })),
  );
  const run = await ownRun(company.id, [shop.url]);
  const { db } = run;
  const [take, next] = [db.take.bind(db), db.next.bind(db)];
  let [bytes, polls] = [0, 0];
  const polled = Promise.withResolvers<void>();
  db.take = (most) => {
    if (++polls === 4) polled.resolve();
    return take(most);
  };
  db.next = async (wanted, held) => {
    const found = await next(wanted, held);
    for (const { data } of found.flatMap(({ deliveries }) => deliveries)) {
      assert.equal(typeof data, "string");
      bytes += data!.length;
    }
    return found;
  };
  const ended = run.run({ untilMs: performance.now() + 5_000, untilIdle: false });
  await Promise.race([polled.promise, ended]);
  const read = bytes;
  slow.resolve();
  await ended;
  assert.ok(read > 300_000 && read < 6_000_000, `${read} bytes`);
});

Deno.test("a run that reads large records stops after fewer deliveries, because large records need more CPU time", async () => {
  const company = await newCompanyWithTemplate();
  await using shop = receiver();
  const webhooks = await Promise.all(
    Array.from({ length: 10 }, () => addWebhook(company.id, shop.url)),
  );
  await statement`
    update templates set components = jsonb_build_array(
      jsonb_build_object('type', 'BODY', 'text', repeat('a', 240000))
    ) where id = ${company.template_id}
  `;
  const delivered: number[] = [];
  for (const payload of ["ids", "full"]) {
    await statement`update webhooks set payload = ${payload} where company_id = ${company.id}`;
    await noteEvents(
      company.id,
      Array.from({ length: 8 }, () => ({
        type: "template.status_changed",
        record_id: company.template_id,
        webhooks: webhooks.map(({ id }) => id),
      })),
    );
    const run = await ownRun(company.id, [shop.url], {}, { cpuMs: 350 });
    await run.run({ untilMs: performance.now() + 30_000, untilIdle: true });
    delivered.push(run.result.delivered);
  }
  const [ofIds, ofRecords] = delivered;
  assert.equal(ofIds, 80);
  assert.ok(ofRecords < 80, `${ofRecords} deliveries`);
});

Deno.test("a delivery is read again after a slow DNS lookup, so that the request contains the record's current state", async () => {
  const company = await newCompany();
  const webhook = await addWebhook(company.id, "https://hooks.example.com/crm");
  await noteEvents(company.id, [
    { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id] },
  ]);
  const read = Promise.withResolvers<void>();
  const resolve = async () => {
    await read.promise;
    await delay(550); // longer than a delivery may wait
    return ["93.184.216.34"];
  };
  const run = await ownRun(company.id, [], {}, { addresses: { resolve }, postTimeoutMs: 300 });
  const next = run.db.next.bind(run.db);
  let count = 0;
  run.db.next = async (wanted, held) => {
    const found = await next(wanted, held);
    count += found.flatMap(({ deliveries }) => deliveries).length;
    if (count > 0) read.resolve();
    return found;
  };
  await run.run({ untilMs: performance.now() + 30_000, untilIdle: true });
  // The second read may be slow too, and is then followed by another.
  assert.ok(count >= 2, `${count} reads`);
  assert.deepEqual([run.result.failed, run.sender.lookUps], [1, 1]);
});
