// Tests that only a company's owners and admins can manage its webhooks on the settings page.
import assert from "node:assert/strict";
import { openWebhookSecret } from "../../supabase/functions/_shared/credentials/webhook_secrets.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { credentialsKey, stack, statement } from "../support/test_stack.ts";
import { ownSettings } from "../settings_function/own_settings.ts";

const [own, other] = [await newCompany(), await newCompany()];
const [agent, admin] = await newMembers(own, "agent", "admin");
const URL_ = `${stack.url}/sandbox/webhooks/tests?token=1`;
const wanted = { company_id: own.id, url: URL_, types: ["deal.won", "deal.won", "contact.*"] };

async function storedSecret(id: string): Promise<string> {
  const [{ sealed_secret }] = await statement`select sealed_secret from webhooks where id = ${id}`;
  return await openWebhookSecret(sealed_secret, { company_id: own.id, webhook_id: id }, [
    credentialsKey,
  ]);
}

Deno.test("owners and admins create a webhook and see its secret once", async () => {
  const ask = await ownSettings();
  for (const person of [own.member_id, admin]) {
    const { status, body, text } = await ask(person, "POST", "/webhooks", wanted);
    assert.equal(status, 201, text);
    const { secret, ...webhook } = body.data;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(await storedSecret(webhook.id), secret);
    assert.deepEqual(
      [webhook.types, webhook.state, webhook.created_by, webhook.created_by_key_id],
      [["contact.*", "deal.won"], "on", person, null],
    );
    const [event] = await statement`
      select action, actor_kind, actor_id, webhook_address, company_events::text like '%token=1%' as has_query
      from company_events where webhook_id = ${webhook.id}
    `;
    assert.deepEqual({ ...event }, {
      ...{ action: "webhook_created", actor_kind: "person", actor_id: person },
      ...{ webhook_address: URL_.split("?")[0], has_query: false },
    });
  }
});

Deno.test("an owner changes and pauses a webhook and rotates its secret, and the history records each action", async () => {
  const ask = await ownSettings();
  const { data } = (await ask(own.member_id, "POST", "/webhooks", wanted)).body;
  const path = `/webhooks/${data.id}`;
  const paused = await ask(own.member_id, "PATCH", path, { state: "paused", types: ["*"] });
  assert.deepEqual([paused.status, paused.body.data.state, paused.body.data.why], [
    ...[200, "paused", "by_person"],
  ]);
  const rotated = await ask(own.member_id, "POST", `${path}/rotate-secret`, { overlap_hours: 2 });
  assert.equal(rotated.status, 200, rotated.text);
  assert.notEqual(rotated.body.data.secret, data.secret);
  assert.equal(await storedSecret(data.id), rotated.body.data.secret);
  assert.ok(rotated.body.data.previous_secret_ends_at);
  const actions = await statement`
    select action from company_events where webhook_id = ${data.id} order by created_at
  `;
  assert.deepEqual(actions.map(({ action }) => action), [
    ...["webhook_created", "webhook_changed", "webhook_paused", "webhook_secret_rotated"],
  ]);
});

Deno.test("agents and users of other companies cannot manage webhooks", async () => {
  const ask = await ownSettings();
  const { data } = (await ask(own.member_id, "POST", "/webhooks", wanted)).body;
  for (const person of [agent, other.member_id]) {
    assert.equal((await ask(person, "POST", "/webhooks", wanted)).status, 403);
    const status = person === agent ? 403 : 404;
    for (
      const [method, path, json] of [
        ["PATCH", `/webhooks/${data.id}`, { types: ["*"] }],
        ["POST", `/webhooks/${data.id}/rotate-secret`, { overlap_hours: 0 }],
      ] as const
    ) {
      assert.equal((await ask(person, method, path, json)).status, status, `${method} ${path}`);
    }
  }
  assert.equal(await storedSecret(data.id), data.secret);
});

Deno.test("a URL that is not on the public internet is refused, and the error gives the reason", async () => {
  const ask = await ownSettings();
  const refused = await ask(own.member_id, "POST", "/webhooks", {
    ...wanted,
    url: "https://169.254.169.254/",
  });
  assert.deepEqual([refused.status, refused.body.details], [422, [
    { field: "url", message: "has a numeric address as its host; give a domain name" },
  ]]);
});
