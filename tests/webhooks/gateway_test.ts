// Tests how callers manage webhooks through the gateway. A webhook that was created with an API key
// is switched off when the key becomes invalid.
import assert from "node:assert/strict";
import * as base64url from "jose/base64url";
import { openWebhookSecret } from "../../supabase/functions/_shared/credentials/webhook_secrets.ts";
import { type Answer, call, untilServed } from "../support/calls.ts";
import { anyKey, assertCode, assertFirst, assertReplayed, post } from "../support/idempotent.ts";
import { type Company, newCompany, newKey } from "../support/company.ts";
import { addWebhook, noteEvents } from "../support/receiving.ts";
import { ownGateway } from "../support/own_functions.ts";
import { personToken, rest } from "../support/rest.ts";
import { credentialsKey, stack, statement, withDatabase } from "../support/test_stack.ts";
import { UNREADABLE_TIMES } from "../support/times.ts";
import { addDelivery } from "../support/webhook_rows.ts";

const URL_ = `${stack.url}/sandbox/webhooks/gateway`;
const wanted = { url: `${URL_}?token=1`, types: ["deal.*"] };

async function create(key: string, headers: Record<string, string> = {}) {
  const answer = await call(key, "POST", "/webhooks", { json: wanted, headers });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.data;
}

async function read({ keys }: Company, id: string) {
  return (await call(keys.webhooks, "GET", `/webhooks/${id}`)).body.data;
}

/** Creates another API key with the `webhooks` scope. Returns the key and its id. */
async function anotherKey({ id }: Company): Promise<{ key: string; key_id: string }> {
  const key = await withDatabase((sql) => sql.begin((sql) => newKey(sql, id, ["webhooks"])));
  const [{ id: key_id }] = await statement`
    select id from api_keys where company_id = ${id} order by created_at desc limit 1
  `;
  return { key, key_id };
}

Deno.test("a key with the `webhooks` scope creates a webhook, and a repeat of the request returns the same secret", async () => {
  const company = await newCompany();
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const { secret, ...webhook } = await create(company.keys.webhooks, headers);
  assert.equal((await create(company.keys.webhooks, headers)).secret, secret);
  assert.deepEqual(await read(company, webhook.id), webhook);
  const [{ sealed_secret }] = await statement`
    select sealed_secret from webhooks where company_id = ${company.id}
  `;
  const owner = { company_id: company.id, webhook_id: webhook.id };
  assert.equal(await openWebhookSecret(sealed_secret, owner, [credentialsKey]), secret);
  const [event] = await statement`
    select action, actor_kind, actor_id, webhook_address from company_events
    where webhook_id = ${webhook.id}
  `;
  assert.deepEqual({ ...event }, {
    ...{ action: "webhook_created", actor_kind: "key", actor_id: webhook.created_by_key_id },
    webhook_address: URL_,
  });
});

Deno.test("a repeat returns its webhook even if the host name no longer resolves, and a new request is refused", async () => {
  const { keys } = await newCompany();
  const key = keys.webhooks;
  let resolves = true;
  const ask = await ownGateway(stack.url, undefined, {
    webhookAddresses: {
      resolve: () => resolves ? Promise.resolve(["93.184.215.14"]) : Promise.reject(new Error()),
    },
  });
  const create = (url: string, idempotencyKey: string) =>
    ask(key, "POST", "/webhooks", { url, types: ["deal.*"] }, {
      "Idempotency-Key": idempotencyKey,
    });
  const once = anyKey();
  const first = await create("https://hooks.example.org/", once);
  resolves = false;
  assertReplayed(await create("https://hooks.example.org/", once), first);
  assertCode(await create("https://hooks.example.org/x", once), 422, "idempotency_key_reused");
  const refused = await create("https://hooks.example.org/", anyKey());
  assertCode(refused, 422, "invalid_request");
  assert.match(JSON.stringify(refused.body), /name server did not answer/);
});

Deno.test("a repeat of a request about a webhook does not wait until others have changed the webhook", async () => {
  const { keys } = await newCompany();
  const { id } = await create(keys.webhooks);
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const ask = (action: string, json?: object) =>
    call(keys.webhooks, "POST", `/webhooks/${id}/${action}`, { json, headers });
  const { body } = await ask("test");
  const asked: [string, object?][] = [
    ["test"],
    [`deliveries/${body.data.event_id}/redeliver`],
    ["replay", { since: new Date(Date.now() - 60_000).toISOString() }],
    ["rotate-secret", { overlap_hours: 1 }],
  ];
  const answers: Answer[] = [];
  for (const each of asked) answers.push(await ask(...each));
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      await sql`select from webhooks where id = ${id} for no key update`;
      for (const [at, each] of asked.entries()) {
        assertReplayed(await ask(...each), answers[at]);
      }
    })
  );
});

Deno.test("a company has at most ten webhooks, even when many are created simultaneously", async () => {
  const { keys } = await newCompany();
  const answers = await Promise.all(
    Array.from(
      { length: 12 },
      () => untilServed(() => call(keys.webhooks, "POST", "/webhooks", { json: wanted })),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 10);
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    assertCode(refused, 409, "conflict");
  }
});

Deno.test("a webhook is off as soon as its API key is switched off or deleted", async () => {
  const company = await newCompany();
  const owner = await personToken(company.member_id);
  for (const [method, json] of [["PATCH", { is_active: false }], ["DELETE", undefined]] as const) {
    const { key, key_id } = await anotherKey(company);
    const { id } = await create(key);
    const { status } = await rest(owner, method, `/api_keys?id=eq.${key_id}&select=id`, { json });
    assert.ok(status < 300);
    const { state, why, switched_off_at } = await read(company, id);
    assert.deepEqual([state, why, typeof switched_off_at], ["off", "key_ended", "string"], method);
    const last = await statement`
      select action, actor_kind, actor_id from company_events where webhook_id = ${id}
      order by created_at desc limit 1
    `;
    assert.deepEqual({ ...last[0] }, {
      ...{ action: "webhook_switched_off", actor_kind: "person", actor_id: company.member_id },
    });
  }
});

Deno.test("a webhook whose API key has expired is shown as off, and a test event for the webhook is refused", async () => {
  const company = await newCompany();
  const { key, key_id } = await anotherKey(company);
  const { id } = await create(key);
  await statement`update api_keys set expires_at = now() - interval '1 second' where id = ${key_id}`;
  const { state, why } = await read(company, id);
  assert.deepEqual([state, why], ["off", "key_ended"]);
  const path = `/webhooks/${id}`;
  assertCode(await call(company.keys.webhooks, "POST", `${path}/test`), 409, "conflict");
  const on = await call(company.keys.webhooks, "PATCH", path, { json: { state: "on" } });
  assert.deepEqual([on.body.data.state, on.body.data.why], ["on", null]);
  assert.notEqual(on.body.data.created_by_key_id, key_id);
  assert.equal((await call(company.keys.webhooks, "POST", `${path}/test`)).status, 202);
});

Deno.test("after a key rotation, the webhook belongs to the new key, even if the old key is deleted", async () => {
  const company = await newCompany();
  const { key, key_id } = await anotherKey(company);
  const { id } = await create(key);
  const owner = await personToken(company.member_id);
  const json = { key_id, overlap_hours: 1 };
  const { body: { id: successor } } = await rest(owner, "POST", "/rpc/rotate_api_key", { json });
  await rest(owner, "DELETE", `/api_keys?id=eq.${key_id}&select=id`);
  const { state, created_by_key_id } = await read(company, id);
  assert.deepEqual([state, created_by_key_id], ["on", successor]);
  await rest(owner, "PATCH", `/api_keys?id=eq.${successor}&select=id`, {
    json: { is_active: false },
  });
  assert.equal((await read(company, id)).state, "off");
});

Deno.test("a key rotation without an overlap switches off the key's webhooks, and the settings page shows them", async () => {
  const company = await newCompany();
  const { key, key_id } = await anotherKey(company);
  const { id } = await create(key);
  const others = await create(company.keys.webhooks);
  const owner = await personToken(company.member_id);
  const json = { key_id, overlap_hours: 0 };
  assert.equal((await rest(owner, "POST", "/rpc/rotate_api_key", { json })).status, 200);
  const { state, why, created_by_key_id } = await read(company, id);
  assert.deepEqual([state, why, created_by_key_id], ["off", "key_ended", key_id]);
  assert.equal((await read(company, others.id)).state, "on");
  const asked = { json: { company_id: company.id } };
  const { body } = await rest(owner, "POST", "/rpc/webhook_troubles", asked);
  assert.deepEqual(
    body.map(({ webhook_id, trouble }: Record<string, string>) => [webhook_id, trouble]),
    [[id, "off"]],
  );
});

Deno.test("a webhook that a rotated key changes during the overlap is switched off when that key ends", async () => {
  const company = await newCompany();
  const { key, key_id } = await anotherKey(company);
  const { id } = await create(key);
  const owner = await personToken(company.member_id);
  await rest(owner, "POST", "/rpc/rotate_api_key", { json: { key_id, overlap_hours: 1 } });
  assert.notEqual((await read(company, id)).created_by_key_id, key_id);
  await call(key, "PATCH", `/webhooks/${id}`, { json: { url: `${URL_}/moved` } });
  const ids = [id, (await create(key)).id];
  await statement`update api_keys set expires_at = now() where id = ${key_id}`;
  for (const each of ids) {
    const { state, why, created_by_key_id } = await read(company, each);
    assert.deepEqual([state, why, created_by_key_id], ["off", "key_ended", key_id]);
  }
});

Deno.test("a webhook is switched off when the API key that last changed the webhook's URL becomes invalid", async () => {
  const company = await newCompany();
  const { id } = await create(company.keys.webhooks);
  const { key, key_id } = await anotherKey(company);
  const path = `/webhooks/${id}`;
  const types = await call(key, "PATCH", path, { json: { types: ["*"], url: wanted.url } });
  assert.notEqual(types.body.data.created_by_key_id, key_id);
  const moved = await call(key, "PATCH", path, { json: { url: `${URL_}/other` } });
  assert.equal(moved.body.data.created_by_key_id, key_id);
  await statement`update api_keys set is_active = false where id = ${key_id}`;
  assert.equal((await read(company, id)).state, "off");
});

Deno.test("the delivery log is paginated with the newest deliveries first, and can be filtered by state and type", async () => {
  const company = await newCompany();
  const { id } = await create(company.keys.webhooks);
  const outcomes = ["delivered", "failed", "delivered", "undelivered", "delivered"];
  const names: string[] = [];
  await withDatabase(async (sql) => {
    for (const outcome of outcomes) names.unshift(await addDelivery(sql, company.id, id, outcome));
  });
  const page = async (query: string) =>
    (await call(company.keys.webhooks, "GET", `/webhooks/${id}/deliveries?${query}`)).body;
  const walked: string[] = [];
  let query = "limit=2";
  for (;;) {
    const { data, pagination } = await page(query);
    walked.push(...data.map(({ event_id }: { event_id: string }) => event_id));
    if (!pagination.has_more) break;
    query = `limit=2&cursor=${pagination.next_cursor}`;
  }
  assert.deepEqual(walked, names);
  const states = async (query: string) =>
    (await page(query)).data.map(({ state }: { state: string }) => state);
  assert.deepEqual(await states("state=delivered"), ["delivered", "delivered", "delivered"]);
  assert.deepEqual(await states("state=failed"), ["failed"]);
  assert.deepEqual(await states("state=undelivered&type=template.*"), ["undelivered"]);
  assert.deepEqual(await states("type=deal.*"), []);
});

Deno.test("a delivery log cursor is refused if it contains a time that the database cannot read", async () => {
  const company = await newCompany();
  const { id } = await create(company.keys.webhooks);
  for (const time of UNREADABLE_TIMES) {
    const cursor = base64url.encode(JSON.stringify([`evt_${"0".repeat(32)}`, time]));
    const path = `/webhooks/${id}/deliveries?cursor=${cursor}`;
    const { status, body } = await call(company.keys.webhooks, "GET", path);
    assert.deepEqual([status, body.details?.[0].field], [422, "cursor"], time);
  }
});

Deno.test("a webhook's event can be delivered again, but not to another webhook", async () => {
  const company = await newCompany();
  const [{ id }, { id: other }] = [
    await create(company.keys.webhooks),
    await create(company.keys.webhooks),
  ];
  const name = await withDatabase((sql) => addDelivery(sql, company.id, id, "failed"));
  const again = (webhook: string, event: string) =>
    call(company.keys.webhooks, "POST", `/webhooks/${webhook}/deliveries/${event}/redeliver`);
  for (const _ of [1, 2]) assert.equal((await again(id, name)).status, 202);
  assert.equal((await read(company, id)).open_deliveries, 1);
  assertCode(await again(other, name), 404, "not_found");
  assertCode(await again(id, `evt_${"0".repeat(32)}`), 404, "not_found");
  await call(company.keys.webhooks, "PATCH", `/webhooks/${id}`, { json: { state: "paused" } });
  assertCode(await again(id, name), 409, "conflict");
});

Deno.test("a redelivery of a waiting event makes the event and the earlier events of its record due", async () => {
  const company = await newCompany();
  const { id, company_id } = await addWebhook(company.id, URL_, { types: ["account.*"] });
  const [record, other] = [company.deal_id, company.contact_id];
  const types = ["deal.created", "deal.updated", "deal.won"];
  await noteEvents(company_id, [
    { type: "contact.updated", record_id: other, webhooks: [id] },
    ...types.map((type) => ({ type, record_id: record, webhooks: [id] })),
  ]);
  await statement`
    update app.open_deliveries set due_at = now() + interval '20 hours' where webhook_id = ${id}
  `;
  const [{ name }] = await statement`
    select app.event_name(event_id) as name from app.open_deliveries
    where webhook_id = ${id} and type = 'deal.updated'
  `;
  const path = `/webhooks/${id}/deliveries/${name}/redeliver`;
  assert.equal((await call(company.keys.webhooks, "POST", path)).status, 202);
  const due = await statement`
    select type from app.open_deliveries where webhook_id = ${id} and due_at <= clock_timestamp()
    order by seq
  `;
  assert.deepEqual(due.map(({ type }) => type), ["deal.created", "deal.updated"]);
});

Deno.test("a repeat of a test, a redelivery or a replay returns the first response, even if the webhook is paused or off by then", async () => {
  const company = await newCompany();
  const { id } = await create(company.keys.webhooks);
  const name = await withDatabase((sql) => addDelivery(sql, company.id, id, "failed"));
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const requests = [
    ["test", undefined],
    [`deliveries/${name}/redeliver`, undefined],
    ["replay", { since }],
  ] as const;
  const key = anyKey();
  const ask = ([path, json]: typeof requests[number]) =>
    post(company.keys.webhooks, `/webhooks/${id}/${path}`, json, key);
  const firsts = [];
  for (const request of requests) firsts.push(await ask(request));
  firsts.forEach((first) => assertFirst(first, 202));
  const json = { state: "paused" };
  await call(company.keys.webhooks, "PATCH", `/webhooks/${id}`, { json });
  for (const [at, request] of requests.entries()) assertReplayed(await ask(request), firsts[at]);
  await statement`select app.switch_off_webhook(${id}, 'failing')`;
  for (const [at, request] of requests.entries()) assertReplayed(await ask(request), firsts[at]);
  const [path, body] = requests[2];
  const later = await post(company.keys.webhooks, `/webhooks/${id}/${path}`, body, anyKey());
  assertCode(later, 409, "conflict");
});

Deno.test("a replay must start within the last 30 days, and only one replay runs at a time", async () => {
  const company = await newCompany();
  const { id } = await create(company.keys.webhooks);
  const replay = (json: Record<string, unknown>) =>
    call(company.keys.webhooks, "POST", `/webhooks/${id}/replay`, { json });
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  for (
    const [json, field] of [
      [{ since: ago(31 * 24) }, "since"],
      [{ since: ago(-1) }, "since"],
      [{ since: ago(1), until: ago(2) }, "until"],
      [{ since: "yesterday" }, "since"],
      ...UNREADABLE_TIMES.map((time) => [{ since: time }, "since"] as const),
      ...UNREADABLE_TIMES.map((time) => [{ since: ago(1), until: time }, "until"] as const),
    ] as const
  ) {
    const { status, body } = await replay(json);
    assert.deepEqual([status, body.details[0].field], [422, field]);
  }
  // The start is a little earlier than 30 days ago when the database compares it with its clock.
  assert.equal((await replay({ since: ago(30 * 24), types: ["deal.won"] })).status, 202);
  assertCode(await replay({ since: ago(24) }), 409, "conflict");
  const [{ types }] = await statement`select types from app.replays where webhook_id = ${id}`;
  assert.deepEqual(types, ["deal.won"]);
});
