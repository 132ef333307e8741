// Each method once, against the API.
import assert from "node:assert/strict";
import { CRM, NotFoundError, WindowClosedError } from "../../client/src/main.ts";
import { anyPhone, newCompanyWithTemplate } from "../support/company.ts";
import { writes } from "../support/replying.ts";
import { template } from "../support/sending.ts";
import { stack } from "../support/test_stack.ts";
import { until } from "../support/started.ts";

Deno.test("every method does what its operation does", async () => {
  const company = await newCompanyWithTemplate();
  const crm = new CRM({ apiKey: company.keys.all, baseUrl: `${stack.url}/functions/v1` });

  // Contacts.
  const phone = anyPhone();
  const ada = await crm.contacts.create({ phone, name: "Ada" }, { idempotencyKey: "ada" });
  assert.equal(
    (await crm.contacts.create({ phone, name: "Ada" }, { idempotencyKey: "ada" })).id,
    ada.id,
  );
  const put = await crm.contacts.put({ phone, name: "A.", empresa: "Engines" }, {
    on_conflict: "keep",
  });
  assert.deepEqual([put.id, put.name, put.empresa], [ada.id, "Ada", "Engines"]);
  const updated = await crm.contacts.update(ada.id, { custom_fields: { plan: "gold" } }, {
    ifMatch: put.version,
  });
  assert.deepEqual([updated.name, updated.custom_fields], ["Ada", { plan: "gold" }]);
  const same = await crm.contacts.get(ada.id, {}, { ifNoneMatch: updated.version });
  assert.equal(same, null);
  const { data: gold } = await crm.contacts.list({ "custom_fields.plan": ["gold", "a,b"] });
  assert.deepEqual(gold.map(({ id }) => id), [ada.id]);
  await crm.contacts.archive(ada.id, { ifMatch: updated.version });
  await assert.rejects(crm.contacts.get(ada.id), NotFoundError);
  assert.equal((await crm.contacts.get(ada.id, { archived: "include" })).name, "Ada");
  assert.equal((await crm.contacts.restore(ada.id)).archived_at, null);
  const many = await crm.contacts.createMany([{ phone: anyPhone() }, { phone }], {
    on_conflict: "fail",
  });
  assert.deepEqual(many.data.map(({ status }) => status), [201, 409]);
  assert.equal(many.data[1].error?.existing_id, ada.id);
  const other = many.data[0].data!.id;
  const { summary } = await crm.contacts.updateMany([{ id: other, name: "A. L." }], {
    atomic: true,
  });
  assert.deepEqual(summary, { total: 1, created: 0, updated: 1, failed: 0 });
  assert.equal((await crm.contacts.merge(ada.id, { from: other })).id, ada.id);
  assert.equal((await crm.contacts.get(other)).merged_into, ada.id);
  assert.equal((await crm.contacts.export(ada.id)).contact.id, ada.id);

  // Pipelines and stages.
  const pipeline = await crm.pipelines.create({ name: "Renewals" });
  assert.equal((await crm.pipelines.update(pipeline.id, { name: "Renewal" })).name, "Renewal");
  const stage = await crm.stages.create({ pipeline_id: pipeline.id, name: "New" });
  const next = await crm.stages.create({ pipeline_id: pipeline.id, name: "Next" });
  assert.equal((await crm.stages.update(stage.id, { name: "First" })).name, "First");
  assert.equal((await crm.stages.get(stage.id)).name, "First");
  const listed = await crm.pipelines.list({ id: pipeline.id, include: "stages" });
  const { stages } = listed.data[0];
  assert.ok(stages.some(({ id }) => id === next.id));
  assert.ok((await crm.stages.list({ pipeline_id: pipeline.id })).data.length >= 2);

  // Deals.
  const deal = await crm.deals.create({
    title: "One",
    contact_id: ada.id,
    stage_id: stage.id,
    value: 5,
  });
  const [two] =
    (await crm.deals.createMany([{ title: "Two", contact_id: ada.id, stage_id: stage.id }])).data;
  await crm.deals.updateMany([{ id: two.data!.id, status: "lost" }]);
  await crm.deals.update(deal.id, { stage_id: next.id });
  const whole = await crm.deals.get(deal.id, { include: ["contact", "stage"] });
  assert.deepEqual([whole.contact.name, whole.stage.name], ["Ada", "Next"]);
  const moves: string[] = [];
  for await (const { kind } of crm.deals.history(deal.id)) moves.push(kind);
  assert.deepEqual(moves, ["stage_changed", "created"]);
  assert.deepEqual((await crm.deals.list({ "value[gte]": 5, contact_id: ada.id })).data.length, 1);
  await crm.deals.archive(two.data!.id);
  assert.equal((await crm.deals.restore(two.data!.id)).title, "Two");
  await crm.stages.archive(stage.id, { move_deals_to: company.stage_ids[0] });
  await crm.stages.archive(next.id, { move_deals_to: company.stage_ids[0] });
  assert.equal(
    (await crm.deals.get(deal.id, { fields: "stage_id" })).stage_id,
    company.stage_ids[0],
  );

  // People, templates, words, the service.
  assert.equal((await crm.teams.list()).data[0].id, company.team_id);
  assert.equal((await crm.teams.get(company.team_id)).id, company.team_id);
  assert.equal((await crm.members.list({ role: "owner" })).data[0].id, company.member_id);
  assert.equal((await crm.members.get(company.member_id)).role, "owner");
  const [approved] = (await crm.templates.list({ limit: 1 })).data;
  assert.equal((await crm.templates.get(approved.id)).name, approved.name);
  assert.ok((await crm.search("ada")).some((found) => found.id === ada.id));
  assert.equal((await crm.health()).status, "ok");
  assert.equal((await crm.openApi()).openapi, "3.1.0");

  // Messages.
  const sent = await crm.templates.send(template(phone), { idempotencyKey: "order-1" });
  assert.ok(sent.success);
  assert.equal((await crm.sends.get(sent.message_id)).state, "sent");
  assert.equal((await crm.sends.find("order-1"))?.message_id, sent.message_id);
  assert.equal(await crm.sends.find("order-2"), null);
  const [conversation] =
    (await crm.conversations.list({ contact_id: ada.id, include: "contact" })).data;
  assert.equal(conversation.contact.name, "Ada");
  const { id } = await crm.conversations.update(conversation.id, { team_id: company.team_id });
  assert.equal((await crm.conversations.get(id)).team_id, company.team_id);
  const [message] = (await crm.conversations.messages(id, { direction: "outbound" })).data;
  assert.equal((await crm.messages.get(message.id)).id, sent.message_id);
  await writes(company);
  const { conversation_id } = company;
  const dry = await crm.conversations.reply(conversation_id, { text: "Hello" }, { dryRun: true });
  assert.equal(dry.outcome, "send");
  // The sandbox has heard nothing of this person.
  const reply = crm.conversations.reply(conversation_id, { text: "Hello" }, {
    idempotencyKey: "reply-1",
  });
  await assert.rejects(reply, WindowClosedError);
  const found = await crm.sends.find("reply-1", { fields: ["state", "kind"] });
  assert.deepEqual(found, { state: "failed", kind: "reply" });

  // Changes, with the rows that the company has from the beginning.
  const feeds: [() => AsyncIterable<{ id: string }>, string][] = [
    [() => crm.contacts.changes({ fields: ["id"] }), ada.id],
    [() => crm.deals.changes({ fields: ["id"] }), deal.id],
    [() => crm.conversations.changes(), id],
    [() => crm.messages.changes({ fields: "id", limit: 1 }), sent.message_id],
  ];
  for (const [changes, id] of feeds) {
    // Transactions of other tests delay the changes.
    await until(async () => {
      const ids: string[] = [];
      for await (const change of changes()) ids.push(change.id);
      return ids.includes(id);
    });
  }

  const erased = await crm.contacts.erase(ada.id, { confirm: ada.id });
  assert.ok(erased.erased_at);
  await crm.pipelines.archive(pipeline.id);
});
