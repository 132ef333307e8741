import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { ownWebhooks, watchedStack } from "../support/own_functions.ts";
import {
  addWebhook,
  endedDeliveries,
  makeDue,
  noteEvents,
  openDeliveries,
  receiver,
} from "../support/receiving.ts";
import { statement } from "../support/test_stack.ts";

Deno.test("a delivery contains the event, its record and a signature that the Standard Webhooks library verifies", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, `${shop.url}/crm`);
  await noteEvents(company.id, [
    { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id] },
  ]);
  const deliver = await ownWebhooks([shop.url]);
  const answer = await deliver(company.id);
  assert.deepEqual(
    [answer.status, answer.body],
    [202, { data: { job: "deliver", company_id: company.id } }],
  );
  const [{ path, headers, text, body }] = shop.got;
  assert.equal(path, "/crm");
  new Webhook(webhook.secret).verify(text, headers);
  assert.equal(headers["webhook-id"], body.id);
  assert.match(headers["user-agent"], /^crm-messaging-api\/\d/);
  assert.equal(headers["accept-encoding"], "identity");
  assert.deepEqual([body.type, body.record_id, body.resource, body.data.id], [
    ...["deal.won", company.deal_id, "deal", company.deal_id],
  ]);
  assert.equal((await openDeliveries(webhook)).length, 0);
  const [ended] = await endedDeliveries(webhook);
  assert.deepEqual([ended.outcome, ended.status, ended.tries[0].status], ["delivered", 204, 204]);
});

Deno.test("a webhook with the payload `ids` receives only the record's id", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url, { payload: "ids" });
  const record_id = company.contact_id;
  await noteEvents(company.id, [{ type: "contact.updated", record_id, webhooks: [webhook.id] }]);
  await (await ownWebhooks([shop.url]))(company.id);
  assert.deepEqual(shop.got[0].body.data, { id: record_id });
});

Deno.test("an event's `data` is null if the record is deleted or belongs to another company", async () => {
  const [company, other] = await Promise.all([newCompany(), newCompany()]);
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, [
    { type: "deal.deleted", record_id: crypto.randomUUID(), webhooks: [webhook.id] },
    { type: "deal.updated", record_id: other.deal_id, webhooks: [webhook.id] },
  ]);
  await (await ownWebhooks([shop.url]))(company.id);
  assert.deepEqual(shop.got.map(({ body }) => body.data), [null, null]);
});

Deno.test("a failed delivery is retried with the same `webhook-id`, and later events of the same record wait", async () => {
  const company = await newCompany();
  let isBroken = true;
  await using shop = receiver(({ body }) =>
    isBroken && body.record_id === company.deal_id
      ? new Response(`oops ${body.type}\0`, { status: 500 })
      : new Response("fine")
  );
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, [
    { type: "deal.updated", record_id: company.deal_id, webhooks: [webhook.id], attempts: 1 },
    { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id] },
    { type: "contact.updated", record_id: company.contact_id, webhooks: [webhook.id] },
  ]);
  const deliver = await ownWebhooks([shop.url]);
  await deliver(company.id);
  assert.deepEqual(shop.got.map(({ body }) => body.type).sort(), [
    "contact.updated",
    "deal.updated",
  ]);
  const waiting = await openDeliveries(webhook);
  assert.deepEqual(waiting.map(({ type, attempts, waits }) => [type, attempts, waits]), [
    ["deal.updated", 2, true],
    ["deal.won", 0, true],
  ]);
  const { at: _, ms: __, ...attempt } = waiting[0].tries[0];
  assert.deepEqual(attempt, { status: 500, failure: null, answer: "oops deal.updated" });
  isBroken = false;
  await makeDue(webhook);
  await deliver(company.id);
  const ofDeal = shop.got.filter(({ body }) => body.record_id === company.deal_id);
  assert.deepEqual(ofDeal.map(({ body }) => body.type), [
    "deal.updated",
    "deal.updated",
    "deal.won",
  ]);
  assert.equal(ofDeal[0].headers["webhook-id"], ofDeal[1].headers["webhook-id"]);
  assert.equal((await openDeliveries(webhook)).length, 0);
});

Deno.test("one run sends the events of each record in order", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const records = Array.from({ length: 7 }, () => crypto.randomUUID());
  const types = Array.from({ length: 210 }, (_, at) => `deal.number_${at}`);
  await noteEvents(
    company.id,
    types.map((type, at) => ({ type, record_id: records[at % 7], webhooks: [webhook.id] })),
  );
  await (await ownWebhooks([shop.url]))(company.id);
  assert.equal(shop.got.length, 210);
  for (const [at, record] of records.entries()) {
    const got = shop.got.filter(({ body }) => body.record_id === record).map(({ body }) =>
      body.type
    );
    assert.deepEqual(got, types.filter((_, place) => place % 7 === at));
  }
});

Deno.test("if a delivery run fails unexpectedly, the database has the failure and the log has the error", async () => {
  const company = await newCompany();
  const failures: string[] = [];
  let taken = 0;
  await using database = watchedStack(async (request) => {
    if (request.url.endsWith("take_webhooks") && ++taken === 2) return Response.json(5);
    if (request.url.endsWith("fail_delivery_run")) {
      failures.push((await request.clone().json()).failure);
    }
    return null;
  });
  const deliver = await ownWebhooks([], { supabaseUrl: database.url });
  let id: string | null = null;
  const lines = await logged(async () => {
    const { status, headers } = await deliver(company.id);
    assert.equal(status, 202);
    id = headers.get("X-Request-Id");
  });
  const line = JSON.parse(lines.find((line) => line.includes(`"request_id":"${id}"`))!);
  assert.deepEqual([line.level, line.event, line.job], ["error", "job", "deliver"]);
  assert.deepEqual(failures, [
    `The job failed unexpectedly; the log has the error with the request id ${id}`,
  ]);
  const [{ failure }] = await statement`select failure from channel_jobs where job = 'deliver'`;
  assert.match(failure, /^The job failed unexpectedly; /);
});

Deno.test("a redirect is a failure, and is not followed", async () => {
  const company = await newCompany();
  await using other = receiver();
  await using shop = receiver(() => Response.redirect(`${other.url}/`, 302));
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, [
    { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id], attempts: 1 },
  ]);
  await (await ownWebhooks([shop.url, other.url]))(company.id);
  assert.deepEqual([shop.got.length, other.got.length], [1, 0]);
  assert.equal((await openDeliveries(webhook))[0].tries[0].status, 302);
});

Deno.test("nothing is sent to a forbidden address, and the delivery's error gives this reason", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, [
    { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id] },
  ]);
  await (await ownWebhooks([]))(company.id);
  assert.equal(shop.got.length, 0);
  assert.equal((await openDeliveries(webhook))[0].tries[0].failure, "refused_address");
});

Deno.test("a response that does not end in time counts as a failure", async () => {
  const company = await newCompany();
  const silent = Promise.withResolvers<Response>();
  await using shop = receiver(() => silent.promise);
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, [
    { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id] },
  ]);
  await (await ownWebhooks([shop.url], { postTimeoutMs: 100 }))(company.id);
  assert.equal((await openDeliveries(webhook))[0].tries[0].failure, "timeout");
  silent.resolve(new Response());
});

Deno.test("deliveries are also signed with each previous secret until its end", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  await statement`
    update webhooks set sealed_previous_secrets = array[sealed_secret, sealed_secret],
      previous_secrets_end_at = array[now() + interval '1 hour', now() + interval '2 hours']
    where id = ${webhook.id}
  `;
  const deliver = await ownWebhooks([shop.url]);
  const send = async () => {
    await noteEvents(company.id, [
      { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id] },
    ]);
    await deliver(company.id);
    return shop.got.at(-1)!.headers["webhook-signature"].split(" ").length;
  };
  assert.equal(await send(), 3);
  await statement`
    update webhooks set previous_secrets_end_at[1] = clock_timestamp() where id = ${webhook.id}
  `;
  assert.equal(await send(), 2);
});

Deno.test("if a previous secret cannot be decrypted, deliveries are signed with the current secret only", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url, {
    sealed_previous_secrets: ["no..sealed.secret.-"],
    previous_secrets_end_at: [new Date(Date.now() + 3_600_000).toISOString()],
  });
  await noteEvents(company.id, [
    { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id] },
  ]);
  const deliver = await ownWebhooks([shop.url]);
  const lines = await logged(() => deliver(company.id));
  const [{ outcome }] = await endedDeliveries(webhook);
  assert.equal(outcome, "delivered");
  const [{ text, headers }] = shop.got;
  new Webhook(webhook.secret).verify(text, headers);
  assert.equal(headers["webhook-signature"].split(" ").length, 1);
  const named = lines.filter((line) => line.includes(webhook.id)).map((line) => JSON.parse(line));
  assert.deepEqual(named.map(({ event }) => event), ["webhook_secret"]);
});

Deno.test("while the current secret cannot be decrypted, deliveries wait", async () => {
  const company = await newCompany();
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url, { sealed_secret: "no..sealed.secret.-" });
  await noteEvents(company.id, [
    { type: "deal.won", record_id: company.deal_id, webhooks: [webhook.id] },
  ]);
  const deliver = await ownWebhooks([shop.url]);
  await logged(() => deliver(company.id));
  const [{ attempts, tries, waits }] = await openDeliveries(webhook);
  assert.deepEqual([attempts, tries[0].failure, waits], [0, "secret", true]);
  assert.equal(shop.got.length, 0);
});

Deno.test("a change to a deal through the API is delivered as an event", async () => {
  const company = await newCompany();
  await using shop = receiver();
  await addWebhook(company.id, shop.url, { types: ["deal.*"] });
  const path = `/deals/${company.deal_id}`;
  const answer = await call(company.keys.write, "PATCH", path, { json: { status: "won" } });
  assert.equal(answer.status, 200);
  await call(company.keys.write, "PATCH", `/contacts/${company.contact_id}`, {
    json: { temperature: "hot" },
  });
  await (await ownWebhooks([shop.url]))(company.id);
  assert.deepEqual(shop.got.map(({ body }) => body.type), ["deal.won"]);
  const { changes, actor, data } = shop.got[0].body;
  assert.deepEqual([changes.status, actor.kind], [{ from: "open", to: "won" }, "key"]);
  assert.deepEqual(data, answer.body.data);
});
