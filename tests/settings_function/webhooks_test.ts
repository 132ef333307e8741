// Tests how an owner or admin creates and changes the company's webhooks.

import assert from "node:assert/strict";
import { openWebhookSecret } from "../../supabase/functions/_shared/credentials/webhook_secrets.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { credentialsKey, stack, statement } from "../support/test_stack.ts";
import { ownSettings } from "./own_settings.ts";

const [own, other] = [await newCompany(), await newCompany()];
const [agent, admin] = await newMembers(own, "agent", "admin");
const ask = await ownSettings();
const URL_OF_TEST = `${stack.receiver_url}/settings-test`;

const create = (person: string, changes: Record<string, unknown> = {}) =>
  ask(person, "POST", "/webhooks", {
    ...{ company_id: own.id, url: URL_OF_TEST, types: ["deal.*", "deal.won"] },
    ...changes,
  });
const change = (person: string, id: string, changes: Record<string, unknown>) =>
  ask(person, "PATCH", `/webhooks/${id}`, changes);
const rotate = (person: string, id: string, overlap_hours = 24) =>
  ask(person, "POST", `/webhooks/${id}/rotate-secret`, { overlap_hours });

async function secretsOf(webhook_id: string): Promise<string[]> {
  const [row] = await statement`
    select company_id, sealed_secret || sealed_previous_secrets as sealed from webhooks where id = ${webhook_id}
  `;
  const { company_id, sealed } = row;
  return await Promise.all(
    sealed.map((each: string) =>
      openWebhookSecret(each, { company_id, webhook_id }, [credentialsKey])
    ),
  );
}

Deno.test("owners and admins create a webhook for the company, and its secret is returned only once", async () => {
  for (const person of [own.member_id, admin]) {
    let answer!: Awaited<ReturnType<typeof create>>;
    const lines = await logged(async () => {
      answer = await create(person, { description: "Web shop" });
    });
    assert.equal(answer.status, 201, answer.text);
    const { id, secret, created_by, created_by_key_id, state } = answer.body.data;
    assert.deepEqual([created_by, created_by_key_id, state], [person, null, "on"]);
    assert.match(secret, /^whsec_/);
    assert.deepEqual(await secretsOf(id), [secret]);
    assert.ok(!lines.join().includes(secret));
    const changed = await change(person, id, { payload: "ids", state: "paused" });
    assert.deepEqual(
      [
        changed.status,
        changed.body.data.payload,
        changed.body.data.state,
        changed.body.data.secret,
      ],
      [200, "ids", "paused", undefined],
    );
  }
});

Deno.test("during a rotation, the previous secret is kept", async () => {
  const { body: { data: { id, secret } } } = await create(admin);
  const rotated = await rotate(own.member_id, id);
  assert.equal(rotated.status, 200, rotated.text);
  assert.notEqual(rotated.body.data.secret, secret);
  assert.deepEqual(await secretsOf(id), [rotated.body.data.secret, secret]);
  const last = await rotate(own.member_id, id, 0);
  assert.deepEqual(await secretsOf(id), [last.body.data.secret]);
});

Deno.test("after a second rotation, each earlier secret is kept until its own overlap ends", async () => {
  const { body: { data: { id, secret: first } } } = await create(admin);
  const { secret: second, previous_secret_ends_at } = (await rotate(admin, id, 100)).body.data;
  const third = (await rotate(admin, id, 1)).body.data;
  assert.deepEqual(await secretsOf(id), [third.secret, second, first]);
  assert.equal(third.previous_secret_ends_at, previous_secret_ends_at);
  await statement`
    update webhooks set previous_secrets_end_at = array[now(), previous_secrets_end_at[2]]
    where id = ${id}
  `;
  const fourth = (await rotate(admin, id, 1)).body.data;
  assert.deepEqual(await secretsOf(id), [fourth.secret, third.secret, first]);
});

Deno.test("while a webhook has five previous secrets, only a rotation that ends all of them is possible", async () => {
  const { body: { data: { id } } } = await create(admin);
  for (const hours of [50, 40, 1, 30, 20]) {
    assert.equal((await rotate(admin, id, hours)).status, 200);
  }
  const secrets = await secretsOf(id);
  assert.equal(secrets.length, 6);
  const { status, body } = await rotate(admin, id);
  assert.deepEqual([status, body.code], [409, "conflict"]);
  const [, end] = /try again after (.*) UTC, or/.exec(body.error)!;
  const minutes = (Date.parse(`${end}Z`) - Date.now()) / 60_000;
  assert.ok(minutes > 50 && minutes <= 60, body.error);
  assert.deepEqual(await secretsOf(id), secrets);
  const last = await rotate(admin, id, 0);
  assert.deepEqual(await secretsOf(id), [last.body.data.secret]);
});

Deno.test("a webhook that is created and rotated with upper-case ids has secrets that can be decrypted", async () => {
  const created = await create(admin, { company_id: own.id.toUpperCase() });
  assert.equal(created.status, 201, created.text);
  const { id, secret } = created.body.data;
  const rotated = await rotate(admin, id.toUpperCase());
  assert.equal(rotated.status, 200, rotated.text);
  assert.deepEqual(await secretsOf(id), [rotated.body.data.secret, secret]);
});

Deno.test("a URL that is not public is refused when a webhook is created and when it is changed", async () => {
  const { body: { data: { id } } } = await create(admin);
  for (const url of ["https://10.0.0.1/", "http://example.com/", "https://localhost/", "nothing"]) {
    for (
      const { status, body } of [await create(admin, { url }), await change(admin, id, { url })]
    ) {
      assert.deepEqual([status, body.details[0].field], [422, "url"], url);
    }
  }
  const { status, body } = await create(admin, { types: ["deal.sold"] });
  assert.equal(status, 422);
  assert.match(body.details[0].field, /^types/);
});

Deno.test("agents and users of other companies cannot create webhooks, change them or rotate their secrets", async () => {
  const { body: { data: { id } } } = await create(admin);
  const theirs = await ask(other.member_id, "POST", "/webhooks", {
    ...{ company_id: other.id, url: URL_OF_TEST, types: ["*"] },
  });
  const stored = async () => [
    ...await statement`
      select * from webhooks where company_id in (${own.id}, ${other.id}) order by id
    `,
  ];
  const before = await stored();
  for (const person of [agent, other.member_id]) assert.equal((await create(person)).status, 403);
  const webhooks = [[id, agent, 403], [id, other.member_id, 404], [
    theirs.body.data.id,
    admin,
    404,
  ]];
  for (const [webhook, person, status] of webhooks) {
    assert.equal((await change(person, webhook, { state: "paused" })).status, status);
    assert.equal((await rotate(person, webhook)).status, status);
  }
  assert.deepEqual(await stored(), before);
});
