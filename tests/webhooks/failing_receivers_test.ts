import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { ownWebhooks } from "../support/own_functions.ts";
import {
  addWebhook,
  endedDeliveries,
  type MadeWebhook,
  makeDue,
  noteEvents,
  openDeliveries,
  receiver,
} from "../support/receiving.ts";
import { until } from "../support/started.ts";
import { statement } from "../support/test_stack.ts";

/** Creates this many events, each for a different record. */
const events = (count: number, webhook: MadeWebhook) =>
  Array.from({ length: count }, () => ({
    ...{ type: "deal.updated", record_id: crypto.randomUUID(), webhooks: [webhook.id] },
  }));

async function stateOf({ id }: MadeWebhook) {
  const [row] = await statement`
    select state, why, failures, pauses, failing_since, switched_off_at, lease_id, paused_until
    from webhooks where id = ${id}
  `;
  return row;
}

/** Asserts that the work pauses a webhook for this many seconds. */
async function assertPauses({ id }: MadeWebhook, seconds: number, work: () => Promise<unknown>) {
  const [{ before }] = await statement`select clock_timestamp() as before`;
  await work();
  const [pause] = await statement`
    select began, began between ${before} and clock_timestamp() as is_now
    from (
      select paused_until - make_interval(secs => ${seconds}) as began from webhooks where id = ${id}
    ) as pause
  `;
  assert.ok(pause.is_now, `not paused for ${seconds} seconds: ${JSON.stringify(pause)}`);
}

Deno.test("several consecutive failures pause a webhook once, and after the pause only one delivery is attempted", async () => {
  const company = await newCompany();
  let status = 500;
  await using shop = receiver(() => new Response(null, { status }));
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, events(40, webhook));
  const deliver = await ownWebhooks([shop.url]);
  await assertPauses(webhook, 10, () => deliver(company.id));
  assert.ok(shop.got.length >= 5 && shop.got.length <= 12, `${shop.got.length} requests`);
  const first = await stateOf(webhook);
  assert.deepEqual([first.state, first.pauses, first.lease_id], ["on", 1, null]);
  // While the webhook is paused, nothing is sent.
  const sent = shop.got.length;
  await statement`
    update webhooks set paused_until = clock_timestamp() + interval '1 hour' where id = ${webhook.id}
  `;
  await deliver(company.id);
  assert.equal(shop.got.length, sent);
  await makeDue(webhook);
  await assertPauses(webhook, 20, () => deliver(company.id));
  assert.equal(shop.got.length, sent + 1);
  assert.equal((await stateOf(webhook)).pauses, 2);
  // After the first success, all open deliveries are due.
  status = 204;
  await statement`update webhooks set paused_until = clock_timestamp() where id = ${webhook.id}`;
  await deliver(company.id);
  assert.equal((await openDeliveries(webhook)).length, 0);
  const last = await stateOf(webhook);
  assert.deepEqual([last.pauses, last.failures, last.failing_since], [0, 0, null]);
});

Deno.test("a 429 with `Retry-After` pauses the webhook and does not count as an attempt", async () => {
  const company = await newCompany();
  await using shop = receiver(() =>
    new Response("slow down", { status: 429, headers: { "Retry-After": "120" } })
  );
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, events(1, webhook));
  const deliver = await ownWebhooks([shop.url]);
  await assertPauses(webhook, 120, () => deliver(company.id));
  const [{ attempts, tries }] = await openDeliveries(webhook);
  assert.deepEqual([attempts, tries.length, tries[0].status], [0, 1, 429]);
});

Deno.test("a 410 switches a webhook off, and the company's other webhooks receive an event about the change", async () => {
  const company = await newCompany();
  await using shop = receiver(() => new Response(null, { status: 410 }));
  await using other = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const watcher = await addWebhook(company.id, other.url, { types: ["webhook.*"] });
  await noteEvents(company.id, events(9, webhook));
  await (await ownWebhooks([shop.url, other.url]))(company.id);
  const { state, why, switched_off_at } = await stateOf(webhook);
  assert.deepEqual([state, why, switched_off_at !== null], ["off", "gone", true]);
  assert.equal((await openDeliveries(webhook)).length, 0);
  const outcomes = (await endedDeliveries(webhook)).map(({ outcome }) => outcome);
  assert.deepEqual([...new Set(outcomes)], ["undelivered"]);
  assert.equal(outcomes.length, 9);
  const [{ body }] = other.got;
  assert.deepEqual([body.type, body.record_id, body.changes, body.data.state], [
    ...["webhook.switched_off", webhook.id, { why: "gone" }, "off"],
  ]);
  assert.deepEqual([body.actor, body.request_id], [{ kind: "job", id: null }, null]);
  assert.equal((await endedDeliveries(watcher))[0].outcome, "delivered");
});

Deno.test("after a webhook's URL was changed, a failure of the previous URL does not count", async () => {
  const headers = { "Retry-After": "600" };
  for (const answer of [{ status: 410 }, { status: 500 }, { status: 429, headers }]) {
    const company = await newCompany();
    await using next = receiver();
    await using previous = receiver(async () => {
      await statement`update webhooks set url = ${next.url} where company_id = ${company.id}`;
      return new Response(null, answer);
    });
    const webhook = await addWebhook(company.id, previous.url);
    await noteEvents(company.id, events(1, webhook));
    const deliver = await ownWebhooks([previous.url, next.url]);
    await deliver(company.id);
    const { state, failing_since, failures, paused_until } = await stateOf(webhook);
    const found = [state, failing_since, failures, paused_until, next.got.length];
    assert.deepEqual(found, ["on", null, 0, null, 1]);
    const [{ outcome, tries }] = await endedDeliveries(webhook);
    const statuses = tries.map(({ status }: { status: number }) => status);
    assert.deepEqual([outcome, ...statuses], ["delivered", answer.status, 204]);
  }
});

Deno.test("a replay from the `failing_since` of a webhook that is off sends every event that was still waiting or had failed", async () => {
  const company = await newCompany();
  let status = 410;
  await using shop = receiver(() => new Response(null, { status }));
  const deliver = await ownWebhooks([shop.url]);
  const offAfter = {
    "a 410": () => deliver(company.id),
    "a pause": ({ id }: MadeWebhook) =>
      statement`
        with paused as (update webhooks set state = 'paused' where id = ${id} returning id)
        select app.switch_off_webhook(id, 'key_ended') from paused
      `,
    "eleven failed attempts": async (webhook: MadeWebhook) => {
      status = 500;
      await statement`update app.open_deliveries set attempts = 10 where webhook_id = ${webhook.id}`;
      await deliver(company.id);
      assert.equal((await endedDeliveries(webhook))[0].outcome, "failed");
      await statement`select app.switch_off_webhook(${webhook.id}, 'failing')`;
    },
  };
  for (const [reason, switchOff] of Object.entries(offAfter)) {
    const webhook = await addWebhook(company.id, shop.url, { types: ["deal.*"] });
    await noteEvents(company.id, events(1, webhook));
    await switchOff(webhook);
    const { state, failing_since } = await stateOf(webhook);
    assert.equal(state, "off", reason);
    const [{ happened_at, is_replayed }] = await statement`
      select happened_at, happened_at >= failing_since as is_replayed
      from app.deliveries join webhooks on webhooks.id = webhook_id where webhook_id = ${webhook.id}
    `;
    assert.ok(is_replayed, `${reason}: ${failing_since} is not ${happened_at} or earlier`);
  }
});

Deno.test("the status and `Retry-After` of a response count, even if the response's body never ends", async () => {
  const company = await newCompany();
  const start = (body: ReadableStreamDefaultController) =>
    body.enqueue(new TextEncoder().encode("wait"));
  await using shop = receiver(({ path }) =>
    new Response(new ReadableStream({ start }), {
      ...{ status: Number(path.slice(1)), headers: { "Retry-After": "600" } },
    })
  );
  const webhooks = new Map<number, MadeWebhook>();
  for (const status of [410, 429, 503, 500]) {
    const webhook = await addWebhook(company.id, `${shop.url}/${status}`, { types: ["deal.*"] });
    await noteEvents(company.id, events(1, webhook));
    webhooks.set(status, webhook);
  }
  const deliver = await ownWebhooks([shop.url], { postTimeoutMs: 4_000 });
  const deliverAll = () => deliver(company.id);
  await assertPauses(
    webhooks.get(429)!,
    600,
    () => assertPauses(webhooks.get(503)!, 600, deliverAll),
  );
  for (const [status, webhook] of webhooks) {
    const { state, why, paused_until } = await stateOf(webhook);
    assert.deepEqual([state, why], status === 410 ? ["off", "gone"] : ["on", null]);
    assert.equal(paused_until !== null, status === 429 || status === 503);
    const [delivery] = [...await openDeliveries(webhook), ...await endedDeliveries(webhook)];
    const [{ status: stored, failure, answer }] = delivery.tries;
    assert.deepEqual([stored, failure, answer], [status, null, null]);
  }
});

Deno.test("after 72 hours and 20 attempts without a success, a webhook is switched off", async () => {
  const company = await newCompany();
  await using shop = receiver(() => new Response(null, { status: 500 }));
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, events(1, webhook));
  const deliver = await ownWebhooks([shop.url]);
  const failingFor = async (hours: number, failures: number) => {
    await statement`
      update webhooks set failures = ${failures},
        failing_since = clock_timestamp() - ${`${hours} hours`}::interval where id = ${webhook.id}
    `;
    await makeDue(webhook);
    await deliver(company.id);
    return (await stateOf(webhook)).state;
  };
  assert.equal(await failingFor(71, 40), "on");
  assert.equal(await failingFor(73, 10), "on");
  assert.equal(await failingFor(73, 19), "off");
  assert.equal((await stateOf(webhook)).why, "failing");
});

Deno.test("after eleven attempts, a delivery fails, and the next event of the same record is sent", async () => {
  const company = await newCompany();
  await using shop = receiver(({ body }) =>
    new Response(null, { status: body.type === "deal.updated" ? 500 : 204 })
  );
  const webhook = await addWebhook(company.id, shop.url);
  const record_id = company.deal_id;
  await noteEvents(company.id, [
    { type: "deal.updated", record_id, webhooks: [webhook.id] },
    { type: "deal.won", record_id, webhooks: [webhook.id] },
  ]);
  await statement`
    update app.open_deliveries set attempts = 10
    where webhook_id = ${webhook.id} and type = 'deal.updated'
  `;
  await (await ownWebhooks([shop.url]))(company.id);
  assert.deepEqual(
    (await endedDeliveries(webhook)).map(({ type, outcome }) => [type, outcome]),
    [["deal.updated", "failed"], ["deal.won", "delivered"]],
  );
});

Deno.test("a webhook whose API key is no longer valid receives nothing and is switched off", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const [{ id: key_id }] = await statement`
    select id from api_keys where company_id = ${company.id} and scopes = '{read}'
  `;
  const webhook = await addWebhook(company.id, shop.url, { created_by_key_id: key_id });
  await statement`update api_keys set is_active = false where id = ${key_id}`;
  await noteEvents(company.id, events(1, webhook));
  const deliver = await ownWebhooks([shop.url]);
  // The maintenance at the start of a run ends the delivery, unless another run is doing its
  // maintenance at the same time.
  await until(async () => {
    await deliver(company.id);
    return (await openDeliveries(webhook)).length === 0;
  });
  assert.equal(shop.got.length, 0);
  assert.deepEqual((await endedDeliveries(webhook)).map(({ outcome }) => outcome), ["undelivered"]);
  const { state, why } = await stateOf(webhook);
  assert.deepEqual([state, why], ["off", "key_ended"]);
});

Deno.test("a webhook whose API key expires while a run delivers receives no further event", async () => {
  const company = await newCompany();
  const [{ id: key_id }] = await statement`
    select id from api_keys where company_id = ${company.id} and scopes = '{webhooks}'
  `;
  const made = Promise.withResolvers<MadeWebhook>();
  await using shop = receiver(async () => {
    // Not now(), because the run may read deliveries in a transaction that has just begun.
    await statement`
      update api_keys set expires_at = now() - interval '10 seconds' where id = ${key_id}
    `;
    await noteEvents(company.id, events(1, await made.promise));
    return new Response();
  });
  const webhook = await addWebhook(company.id, shop.url, { created_by_key_id: key_id });
  made.resolve(webhook);
  await noteEvents(company.id, events(1, webhook));
  const deliver = await ownWebhooks([shop.url]);
  await deliver(company.id);
  assert.equal(shop.got.length, 1);
  await deliver(company.id);
  const { state, why } = await stateOf(webhook);
  assert.deepEqual([shop.got.length, state, why], [1, "off", "key_ended"]);
});

Deno.test("a run that has lost its lease on a webhook stores nothing", async () => {
  const company = await newCompany();
  const other = crypto.randomUUID();
  const webhookId = Promise.withResolvers<string>();
  await using shop = receiver(async () => {
    await statement`update webhooks set lease_id = ${other} where id = ${await webhookId.promise}`;
    return new Response();
  });
  const webhook = await addWebhook(company.id, shop.url);
  webhookId.resolve(webhook.id);
  await noteEvents(company.id, events(1, webhook));
  await (await ownWebhooks([shop.url]))(company.id);
  assert.equal((await openDeliveries(webhook)).length, 1);
  assert.equal((await stateOf(webhook)).lease_id, other);
});
