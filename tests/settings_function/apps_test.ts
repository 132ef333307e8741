// Tests how an owner or admin enters the secrets of the company's Meta app.

import assert from "node:assert/strict";
import { openAppSecret } from "../../supabase/functions/_shared/credentials/app_secrets.ts";
import { newCompany, newMembers } from "../support/company.ts";
import { newChannelApp } from "../support/channel_apps.ts";
import { later, logged } from "../support/log_lines.ts";
import { credentialsKey, stack, statement } from "../support/test_stack.ts";
import { ownSettings } from "./own_settings.ts";

const [own, other] = [await newCompany(), await newCompany()];
const [agent, admin] = await newMembers(own, "agent", "admin");
const SECRETS = { app_secret: "0123456789abcdef-secret", verify_token: "verify-token-42" };
const ask = await ownSettings();

const create = (person: string, changes: Record<string, unknown> = {}) =>
  ask(person, "POST", "/apps", { company_id: own.id, name: "Our app", ...SECRETS, ...changes });
const rotate = (person: string, app_key: string, changes: Record<string, unknown> = {}) =>
  ask(person, "POST", "/apps/secret", {
    ...{ company_id: own.id, app_key, app_secret: "another-secret-77", ...changes },
  });

async function opened(app_key: string, column: string, kind: "secret" | "verify_token") {
  const [row] = await statement`select * from channel_apps where app_key = ${app_key}`;
  return await openAppSecret(row[column], { app_key, kind }, [credentialsKey]);
}

Deno.test("owners and admins register an app, and the response contains the callback URL but no secret", async () => {
  for (const person of [own.member_id, admin]) {
    let answer!: Awaited<ReturnType<typeof create>>;
    const lines = await logged(async () => {
      answer = await create(person);
    });
    assert.equal(answer.status, 201, answer.text);
    const { app_key, callback_url, rotation_began_at } = answer.body.data;
    assert.equal(callback_url, `${stack.url}/functions/v1/whatsapp/webhook/${app_key}`);
    assert.equal(rotation_began_at, null);
    assert.equal(await opened(app_key, "sealed_secret", "secret"), SECRETS.app_secret);
    assert.equal(
      await opened(app_key, "sealed_verify_token", "verify_token"),
      SECRETS.verify_token,
    );
    const said = answer.text + lines.join();
    for (const secret of Object.values(SECRETS)) assert.ok(!said.includes(secret));
  }
});

Deno.test("a new secret starts a rotation, during which the previous secret remains valid", async () => {
  const { body: { data: { app_key } } } = await create(admin);
  const { status, body } = await rotate(own.member_id, app_key);
  assert.equal(status, 200);
  assert.ok(body.data.rotation_began_at);
  assert.equal(await opened(app_key, "sealed_secret", "secret"), "another-secret-77");
  assert.equal(await opened(app_key, "sealed_previous_secret", "secret"), SECRETS.app_secret);
});

Deno.test("if a user changes a secret very often, at most ten lines are logged in ten seconds", async () => {
  const { body: { data: { app_key } } } = await create(admin);
  const lines = await later(20, () =>
    logged(async () => {
      const answers = await Promise.all(Array.from({ length: 15 }, () => rotate(admin, app_key)));
      assert.ok(answers.every(({ status }) => status === 200));
    }));
  assert.ok(lines.length > 0 && lines.length <= 10, `${lines.length} lines`);
});

Deno.test("no one can change the operator's apps or another company's apps", async () => {
  const theirs = await ask(other.member_id, "POST", "/apps", {
    ...{ company_id: other.id, name: "Theirs", ...SECRETS },
  });
  const operators = await newChannelApp();
  const { body: { data: { app_key: ours } } } = await create(admin);
  const notOurs = [theirs.body.data.app_key, operators.app_key];
  const apps = [...notOurs, ours];
  const secrets = () =>
    statement`
      select app_key, sealed_secret from channel_apps where app_key = any (${apps}) order by 1
    `;
  const before = await secrets();
  assert.equal(before.length, 3);
  for (const app_key of [...notOurs, "no-such-app-anywhere"]) {
    const { status, body } = await rotate(admin, app_key);
    assert.deepEqual([status, body.code], [404, "not_found"]);
  }
  for (const person of [agent, other.member_id]) {
    assert.equal((await rotate(person, ours)).status, 403);
    assert.equal((await create(person)).status, 403);
  }
  // A user cannot change another company's app by sending the id of the user's own company.
  const foreign = await rotate(other.member_id, ours, { company_id: other.id });
  assert.equal(foreign.status, 404);
  assert.deepEqual([...await secrets()], [...before]);
});

Deno.test("a company can register at most ten apps, and an error does not repeat a malformed secret", async () => {
  const company = await newCompany();
  const add = () => create(company.member_id, { company_id: company.id });
  for (let count = 0; count < 10; count++) assert.equal((await add()).status, 201);
  assert.deepEqual((await add()).status, 409);
  for (const field of ["app_secret", "verify_token"]) {
    const { status, body, text } = await create(admin, { [field]: "tiny 77 secret" });
    assert.deepEqual([status, body.details[0].field], [422, field]);
    assert.ok(!text.includes("tiny 77"));
  }
});

Deno.test("the history shows who registered an app, changed its secret and ended the old secret", async () => {
  const company = await newCompany();
  const [admin] = await newMembers(company, "admin");
  const asked = { company_id: company.id };
  const made = await ask(admin, "POST", "/apps", { ...asked, name: "Shop’s app", ...SECRETS });
  const { app_key } = made.body.data;
  const secret = { ...asked, app_key, app_secret: "another-secret-77" };
  await ask(company.member_id, "POST", "/apps/secret", secret);
  await statement`select finish_channel_app_rotation(${app_key})`;
  await statement`select finish_channel_app_rotation(${app_key})`;
  await statement`select delete_channel_app(${app_key}, true)`;
  const events = await statement`
    select action, details, actor_kind, actor_id from company_events
    where company_id = ${company.id} and details ? 'app' order by created_at
  `;
  const details = { app: "Shop’s app" };
  const person = { details, actor_kind: "person" };
  const database = { details, actor_kind: "database", actor_id: null };
  assert.deepEqual([...events], [
    { action: "app_registered", ...person, actor_id: admin },
    { action: "app_secret_changed", ...person, actor_id: company.member_id },
    { action: "app_secret_ended", ...database },
    { action: "app_deleted", ...database },
  ]);
});

Deno.test("an app's name must not contain invisible characters", async () => {
  for (const name of ["Our\u202eapp", "Our\u0007app", "\u200bOur app", "x".repeat(101)]) {
    const { status, body } = await create(admin, { name });
    assert.deepEqual([status, body.details[0].field], [422, "name"], JSON.stringify(name));
  }
});
