// Tests that a webhook receives each record exactly as a GET request by id returns the record.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { newCompanyWithTemplate } from "../support/company.ts";
import { ownWebhooks } from "../support/own_functions.ts";
import { addWebhook, makeDue, noteEvents, openDeliveries, receiver } from "../support/receiving.ts";
import { until } from "../support/started.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

const company = await newCompanyWithTemplate();

/** By name: the id of a record, and the path of its resource. */
const RECORDS = {
  contact: [company.contact_id, "/contacts"],
  archived_contact: [company.archived_contact_id, "/contacts"],
  deal: [company.deal_id, "/deals"],
  conversation: [company.conversation_id, "/conversations"],
  message: [company.message_id, "/messages"],
  send: [company.sent_message_id, "/sends"],
  template: [company.template_id, "/templates"],
};

Deno.test("a webhook receives each record as a GET request returns it", async () => {
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const records = Object.entries(RECORDS);
  await noteEvents(
    company.id,
    records.map(([name, [record_id]]) => ({
      type: `${name.replace("archived_", "")}.updated`,
      record_id,
      webhooks: [webhook.id],
    })),
  );
  await (await ownWebhooks([shop.url]))(company.id);
  for (const [name, [id, path]] of records) {
    const query = name === "archived_contact" ? "?archived=include" : "";
    const answer = await call(company.keys.read, "GET", `${path}/${id}${query}`);
    assert.equal(answer.status, 200, name);
    const delivered = shop.got.find(({ body }) => body.record_id === id)!;
    assert.deepEqual(delivered.body.data, answer.body.data, name);
    // A body is compact, although the database writes spaces between members.
    assert.equal(delivered.text, JSON.stringify(delivered.body), name);
  }
});

Deno.test("a webhook receives another webhook as a GET request returns it, even if many deliveries wait", async () => {
  await using shop = receiver();
  const watcher = await addWebhook(company.id, shop.url, { types: ["webhook.*"] });
  const { id } = await addWebhook(company.id, shop.url, { types: ["account.*"], state: "paused" });
  const waiting = Array.from({ length: 1_100 }, () => ({
    ...{ type: "account.restricted", record_id: crypto.randomUUID(), webhooks: [id] },
  }));
  await noteEvents(company.id, [
    ...waiting,
    { type: "webhook.switched_off", record_id: id, webhooks: [watcher.id] },
  ]);
  await (await ownWebhooks([shop.url]))(company.id);
  const { body: { data } } = await call(company.keys.webhooks, "GET", `/webhooks/${id}`);
  assert.equal(data.open_deliveries, 1_100);
  assert.deepEqual(shop.got.map(({ body }) => body.data), [data]);
});

Deno.test("an account and a webhook are sent without their secrets", async () => {
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(company.id, [
    { type: "account.restricted", record_id: company.account_id, webhooks: [webhook.id] },
    { type: "webhook.test", record_id: webhook.id, webhooks: [webhook.id] },
  ]);
  await (await ownWebhooks([shop.url]))(company.id);
  const [account, test] = ["account.restricted", "webhook.test"].map((type) =>
    shop.got.find(({ body }) => body.type === type)!
  );
  assert.deepEqual([account.body.data.id, account.body.data.phone_number_id], [
    ...[company.account_id, company.phone_number_id],
  ]);
  assert.equal(test.body.data.url, shop.url);
  for (const { text } of [account, test]) assert.doesNotMatch(text, /sealed|token|whsec_|eyJ/);
});

Deno.test("a record of more than 256 KiB is left out of the event, which is marked as truncated", async () => {
  await using shop = receiver();
  const webhook = await addWebhook(company.id, shop.url);
  const components = [{ type: "BODY", text: "ä".repeat(200_000) }];
  const [{ id }] = await withDatabase((sql) =>
    sql`
      insert into templates (
        company_id, business_account_id, phone_number_ids, name, language, status, status_since, category,
        parameter_format, components, variables, rendering, unsupported, read_at
      )
      select company_id, business_account_id, phone_number_ids, 'large', language, status, status_since, category,
        parameter_format, ${sql.json(components)}, variables, rendering, unsupported, read_at
      from templates where id = ${company.template_id}
      returning id
    `
  );
  await noteEvents(company.id, [
    { type: "template.status_changed", record_id: id, webhooks: [webhook.id] },
    { type: "deal.updated", record_id: company.deal_id, webhooks: [webhook.id] },
  ]);
  await (await ownWebhooks([shop.url]))(company.id);
  const [template, deal] = [id, company.deal_id].map((record) =>
    shop.got.find(({ body }) => body.record_id === record)!.body
  );
  assert.deepEqual([template.data, template.truncated], [{ id }, true]);
  assert.deepEqual([deal.data.id, deal.truncated], [company.deal_id, undefined]);
});

Deno.test("after a contact is erased, no stored attempt and no later delivery contains the contact's data", async () => {
  const words = ["Severin Quist", "severin@example.com", "+5511987650001"];
  const isNamed = (text: string) => words.filter((word) => text.includes(word));
  const { body: { data: contact } } = await call(company.keys.write, "POST", "/contacts", {
    json: { name: words[0], email: words[1], phone: words[2] },
  });
  // This receiver repeats a part of the request in its response.
  await using shop = receiver(({ text }) => new Response(text.slice(300), { status: 500 }));
  const webhook = await addWebhook(company.id, shop.url);
  const record_id = contact.id;
  await noteEvents(company.id, [
    { type: "contact.updated", record_id, webhooks: [webhook.id], attempts: 1 },
  ]);
  const deliver = await ownWebhooks([shop.url]);
  await deliver(company.id);
  assert.notDeepEqual(isNamed(shop.got[0].text), []);
  const open = JSON.stringify(await openDeliveries(webhook));
  assert.notDeepEqual(isNamed(open), []);
  // The delivery log stores the receiver's response.
  await statement`
    insert into app.deliveries (
      slot, webhook_id, seq, event_id, company_id, type, record_id, happened_at, outcome, ended_at, tries
    )
    select slot, webhook_id, seq, event_id, company_id, type, record_id, now(), 'failed', now(), tries
    from app.open_deliveries where webhook_id = ${webhook.id}
  `;
  const erased = await call(company.keys.write, "POST", `/contacts/${record_id}/erase`, {
    json: { confirm: record_id },
  });
  assert.equal(erased.status, 200);
  const kept = await statement`
    select tries from app.deliveries where webhook_id = ${webhook.id}
    union all select tries from app.open_deliveries where webhook_id = ${webhook.id}
  `;
  assert.ok(kept.length >= 2);
  assert.deepEqual(isNamed(JSON.stringify(kept)), []);
  // A response that arrives after the contact was erased is not stored either.
  await statement`
    update app.open_deliveries set due_at = now() where webhook_id = ${webhook.id}
  `;
  await deliver(company.id);
  assert.deepEqual(isNamed(shop.got.at(-1)!.text), []);
  const [{ tries }] = await openDeliveries(webhook);
  assert.deepEqual(tries.map(({ answer }: { answer: string | null }) => answer), [null, null]);
});

Deno.test("a request that begins after a contact was erased does not contain the contact's data, even if the receiver is slow", async () => {
  const contacts = await Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      const json = { name: `Severin Quist ${at}`, phone: `+551198765100${at}` };
      return (await call(company.keys.write, "POST", "/contacts", { json })).body.data;
    }),
  );
  const slow = Promise.withResolvers<void>();
  await using shop = receiver(async () => {
    await slow.promise;
    return new Response(null, { status: 204 });
  });
  const webhook = await addWebhook(company.id, shop.url);
  await noteEvents(
    company.id,
    contacts.map(({ id }) => ({
      ...{ type: "contact.updated", record_id: id, webhooks: [webhook.id] },
    })),
  );
  const delivered = (await ownWebhooks([shop.url]))(company.id);
  await until(() => shop.got.length === 4);
  const begun = new Set(shop.got.map(({ body }) => body.record_id));
  const { id, name } = contacts.find((each) => !begun.has(each.id));
  const erased = await call(company.keys.write, "POST", `/contacts/${id}/erase`, {
    json: { confirm: id },
  });
  assert.equal(erased.status, 200);
  slow.resolve();
  await delivered;
  const later = shop.got.filter(({ body }) => body.record_id === id);
  assert.ok(later.length > 0);
  for (const { text } of later) assert.ok(!text.includes(name), text);
});

Deno.test("an event has the same time in the received requests, in the event log and in the delivery log, and all times have the same format", async () => {
  let isBroken = true;
  await using shop = receiver(() => new Response(null, { status: isBroken ? 500 : 204 }));
  const webhook = await addWebhook(company.id, shop.url);
  const { deal_id: record_id, keys } = company;
  await noteEvents(company.id, [{ type: "deal.won", record_id, webhooks: [webhook.id] }]);
  const deliver = await ownWebhooks([shop.url]);
  const deliveries = async () =>
    (await call(keys.webhooks, "GET", `/webhooks/${webhook.id}/deliveries`)).body.data;
  await deliver(company.id);
  const [waiting] = await deliveries();
  isBroken = false;
  await makeDue(webhook);
  await deliver(company.id);
  const [delivered] = await deliveries();
  const read = () => call(keys.read, "GET", `/events?record_id=${record_id}&type=deal.won`);
  await until(async () => (await read()).body.data.length > 0);
  const event = (await read()).body.data.at(-1);
  const [{ happened_at }] = await statement`
    select to_json(happened_at) as happened_at from app.events where app.event_name(id) = ${event.id}
  `;
  assert.deepEqual([waiting.state, delivered.state], ["waiting", "delivered"]);
  for (const { timestamp } of [event, waiting, delivered, ...shop.got.map(({ body }) => body)]) {
    assert.equal(timestamp, happened_at);
  }
  const shown = JSON.stringify([event, waiting, delivered, shop.got[0].body]);
  const times = shown.match(/"\d{4}-\d\d-\d\dT[^"]*"/g)!;
  for (const time of times) {
    assert.match(time, /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00"$/);
  }
});
