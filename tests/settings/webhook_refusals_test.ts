// Tests that the settings page has its own words for each reason why the service refuses a change of
// a webhook. The page recognizes the reason by the words of the service.
import assert from "node:assert/strict";
import type { App } from "../../settings/page/app.ts";
import type { Failure } from "../../settings/page/failure.ts";
import type { Texts } from "../../settings/page/texts.ts";
import { webhookForm } from "../../settings/page/texts/en/webhook_form.ts";
import { webhooks } from "../../settings/page/texts/en/webhooks.ts";
import { call, inOwnWords } from "../../settings/page/webhooks/webhook.ts";
import { ownSettings } from "../settings_function/own_settings.ts";
import { type Company, newCompany } from "../support/company.ts";
import { addWebhook } from "../support/receiving.ts";
import { personToken, rest } from "../support/rest.ts";
import { stack, statement } from "../support/test_stack.ts";

const texts = { webhookForm, webhooks } as Texts;
const { conflicts } = webhooks;
const URL_ = `${stack.receiver_url}/refusals`;

const create = (company: Company, url: string) => ({
  ...{ company_id: company.id, url, types: ["deal.*"] },
});

Deno.test("the settings page has its own words for each reason why a URL is refused", async () => {
  const company = await newCompany();
  const addresses: Record<string, string[]> = {
    "nowhere.example.org": [],
    "private.example.org": ["10.0.0.1"],
  };
  const ask = await ownSettings(undefined, {
    webhookAddresses: {
      own: ["crm.example.org"],
      resolve: (host) => Promise.resolve(addresses[host] ?? Promise.reject(new Error("no answer"))),
    },
  });
  const refused: [string, keyof typeof webhookForm.addressFaults][] = [
    ["http://example.com/", "notHttps"],
    ["https://example.com:8080/", "port"],
    ["https://me:secret@example.com/", "user"],
    ["https://example.com/#top", "fragment"],
    ["https://203.0.113.9/", "numeric"],
    ["https://example/", "notPublic"],
    ["https://shop/", "hostName"],
    ["https://nowhere.example.org/", "noDns"],
    ["https://unknown.example.org/", "nameServer"],
    ["https://private.example.org/", "notPublic"],
    ["https://crm.example.org/", "ownHost"],
  ];
  for (const [url, fault] of refused) {
    const { body } = await ask(company.member_id, "POST", "/webhooks", create(company, url));
    assert.equal(inOwnWords(body, texts), webhookForm.addressFaults[fault], url);
  }
});

Deno.test("the settings page has its own words for each conflict of a webhook", async () => {
  const company = await newCompany();
  const ask = await ownSettings();
  const owner = await personToken(company.member_id);
  const { id } = await addWebhook(company.id, URL_, {
    types: ["account.*"],
  });
  const rpc = async (name: string, json: unknown) => {
    const { status, body } = await rest(owner, "POST", `/rpc/${name}`, { json });
    return { status, data: body, error: status < 300 ? null : body };
  };
  const app = { project: { client: { rpc } }, t: texts } as unknown as App;
  /** What the page says when it calls this function of the database. */
  const said = (name: Parameters<typeof call>[1], values = {}) =>
    call(app, name, { webhook_id: id, ...values }).then(
      () => null,
      (error: Failure) => error.says?.(texts) ?? error.message,
    );
  /** What the page says after this request to the function `settings`. */
  const answered = async (method: string, path: string, json: unknown) => {
    const { status, body } = await ask(company.member_id, method, path, json);
    return status < 300 ? null : inOwnWords(body, texts) ?? body.error;
  };
  const state = (state: "on" | "paused") => answered("PATCH", `/webhooks/${id}`, { state });

  // No run delivers the test events during the test.
  await statement`update webhooks set paused_until = now() + interval '1 hour' where id = ${id}`;
  for (let count = 0; count < 10; count++) assert.equal(await said("test_webhook"), null);
  assert.equal(await said("test_webhook"), conflicts.testsWait);

  const since = new Date(Date.now() - 3_600_000);
  assert.equal(await said("replay_webhook", { since }), null);
  assert.equal(await said("replay_webhook", { since }), conflicts.replayRuns);

  assert.equal(await state("paused"), null);
  assert.equal(await said("test_webhook"), conflicts.notDelivering);

  const rotate = (overlap_hours: number) =>
    answered("POST", `/webhooks/${id}/rotate-secret`, { overlap_hours });
  for (let count = 0; count < 5; count++) assert.equal(await rotate(24), null);
  assert.equal(await rotate(24), conflicts.tooManySecrets);

  await statement`
    update webhooks set state = 'off', why = 'failing', switched_off_at = now() where id = ${id}
  `;
  await statement`
    insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
    select ${id}, gen_random_uuid(), seq, 0, gen_random_uuid(), ${company.id}, 'deal.won', now()
    from generate_series(1, 50001) as seq
  `;
  assert.equal(await state("paused"), conflicts.notDelivering);
  assert.equal(await state("on"), conflicts.stillEnding);

  for (let count = 1; count < 10; count++) {
    await addWebhook(company.id, "https://receiver.example", { types: ["account.*"] });
  }
  const made = await answered("POST", "/webhooks", create(company, URL_));
  assert.equal(made, conflicts.tooMany);
});
