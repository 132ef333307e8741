// Tests that the `webhooks` section of the API's description matches every delivery and every
// example.
import assert from "node:assert/strict";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import { EVENT_TYPES, TYPES } from "../../supabase/functions/_shared/webhooks/event.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { readPage } from "../docs/pages.ts";
import { call } from "../support/calls.ts";
import { newCompany, newCompanyWithTemplate } from "../support/company.ts";
import { ownWebhooks } from "../support/own_functions.ts";
import { addWebhook, noteEvents, receiver } from "../support/receiving.ts";
import { statement } from "../support/test_stack.ts";
import { SchemaValidator, withClosedObjects } from "../support/schema_validator.ts";

const document: JsonSchema = openApi;
const validator = new SchemaValidator(withClosedObjects(document));
const SCHEMA = ["post", "requestBody", "content", "application/json", "schema"];

function problemOf(event: { type: string }): string | null {
  return validator.problemAt(["webhooks", event.type, ...SCHEMA], event);
}

Deno.test("the description has a request for each event type, with a valid example", () => {
  assert.deepEqual(Object.keys(document.webhooks).sort(), TYPES.toSorted());
  const examples: { type: string }[] = Object.entries<JsonSchema>(document.components.schemas)
    .filter(([name]) => /^[A-Z][a-z]+Event$/.test(name))
    .flatMap(([, { examples = [] }]) => examples);
  assert.deepEqual(examples.map(({ type }) => type).sort(), TYPES.toSorted());
  for (const example of examples) assert.equal(problemOf(example), null, example.type);
  const [{ type, ...untyped }] = examples;
  assert.match(problemOf({ ...untyped, type, extra: 1 } as never)!, /unevaluated/);
});

Deno.test("each delivery, with the complete record or only its id, matches the description", async () => {
  const company = await newCompanyWithTemplate();
  await using shop = receiver();
  const whole = await addWebhook(company.id, `${shop.url}/full`);
  const ids = await addWebhook(company.id, `${shop.url}/ids`, { payload: "ids" });
  const records: Record<keyof typeof EVENT_TYPES, string> = {
    contact: company.contact_id,
    deal: company.deal_id,
    conversation: company.conversation_id,
    message: company.message_id,
    send: company.sent_message_id,
    template: company.template_id,
    account: company.account_id,
    webhook: whole.id,
  };
  const webhooks = [whole.id, ids.id];
  await noteEvents(
    company.id,
    TYPES.map((type) => {
      const [resource] = type.split(".") as [keyof typeof EVENT_TYPES];
      return { type, record_id: records[resource], webhooks };
    }),
  );
  await (await ownWebhooks([shop.url]))(company.id);
  assert.equal(shop.got.length, 2 * TYPES.length);
  for (const { path, body } of shop.got) {
    assert.equal(problemOf(body), null, `${path} ${body.type} ${JSON.stringify(body)}`);
    assert.equal(Object.keys(body.data).length === 1, path === "/ids", body.type);
  }
});

Deno.test("the example of `webhook.switched_off` has the same changes as the delivery", async () => {
  const company = await newCompany();
  await using shop = receiver();
  await addWebhook(company.id, shop.url, { types: ["webhook.switched_off"] });
  const off = await addWebhook(company.id, `${shop.url}/off`);
  await statement`select app.switch_off_webhook(${off.id}, 'failing')`;
  await (await ownWebhooks([shop.url]))(company.id);
  const examples: { type: string }[] = document.components.schemas.WebhookEvent.examples;
  const { changed, changes } = examples.find(({ type }) =>
    type === "webhook.switched_off"
  ) as JsonSchema;
  assert.deepEqual(shop.got.map(({ body }) => [body.changed, body.changes]), [[changed, changes]]);
});

Deno.test("the examples of a deal that moves have the same changed fields as the deliveries", async () => {
  const { id, keys, deal_id, stage_ids } = await newCompany();
  await using shop = receiver();
  await addWebhook(id, shop.url, { types: ["deal.*"] });
  const deliver = await ownWebhooks([shop.url]);
  const moves = [
    { stage_id: stage_ids[1] },
    ...["lost", "open", "won"].map((status) => ({ status })),
  ];
  for (const json of moves) {
    assert.equal((await call(keys.all, "PATCH", `/deals/${deal_id}`, { json })).status, 200);
    await deliver(id);
  }
  const fieldsOf = (
    { type, changed, changes }: JsonSchema,
  ) => [type, changed, Object.keys(changes)];
  const delivered = shop.got.map(({ body }) => fieldsOf(body));
  const types = delivered.map(([type]) => type);
  assert.equal(types.length, moves.length);
  const { examples } = document.components.schemas.DealEvent;
  assert.deepEqual(
    types.map((type) => fieldsOf(examples.find((each: JsonSchema) => each.type === type))),
    delivered,
  );
  const { blocks } = await readPage("docs/webhooks.md");
  const { text } = blocks.find(({ text }) => text.includes(`"${types[0]}"`))!;
  assert.deepEqual(fieldsOf(JSON.parse(text)), delivered[0]);
});

Deno.test("the documentation page on webhooks lists exactly the existing event types", async () => {
  const { text } = await readPage("docs/webhooks.md");
  const [, table] = /\n## Types of events\n([^]*?)\n## /.exec(text)!;
  const cells = Array.from(table.matchAll(/^\| (`.*?) \|/gm), ([, cell]) => cell);
  const listed = cells.flatMap((cell) => cell.split(", ").map((type) => type.replaceAll("`", "")));
  assert.deepEqual(listed.sort(), TYPES.toSorted());
});
