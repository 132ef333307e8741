// Tests that a caller can read the result of a send with the send's message id or idempotency key.
// Reading does not repeat the send.
import assert from "node:assert/strict";
import { assertField, call, send } from "../support/calls.ts";
import {
  addSentMessage,
  anyPhone,
  type Company,
  type MessageColumns,
  newCompany,
  type SendColumns,
} from "../support/company.ts";
import { until } from "../support/started.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";

const company = await newCompany();

/** Adds a send, and reads the send by its message id. */
async function added(columns: SendColumns, message: MessageColumns = {}, of: Company = company) {
  const id = await withDatabase((sql) =>
    addSentMessage(sql, of, { idempotency_key: null, ...columns }, message)
  );
  const { status, body } = await call(of.keys.read, "GET", `/sends/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

async function find(key: string, of: Company = company) {
  const query = new URLSearchParams({ idempotency_key: key });
  const { status, body } = await call(of.keys.read, "GET", `/sends?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.pagination, { limit: 50, has_more: false, next_cursor: null });
  return body.data;
}

Deno.test("a template send is found by its idempotency key and by its message id", async () => {
  const { keys, ...own } = await newCompany();
  const json = {
    ...{ phone: anyPhone(), template_name: "order_update", language_code: "en_US" },
    ...{ display_text: "On its way.", body_variables: ["Ada", "A-1"] },
    ...{ idempotency_key: "order, A-1", phone_number_id: own.phone_number_id },
  };
  const headers = { "X-Api-Key": keys.messaging, "Content-Type": "application/json" };
  const sent = await send(stack.template_url, "POST", headers, JSON.stringify(json));
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const { message_id, conversation_id, whatsapp_message_id } = sent.body;

  const { body: { data } } = await call(keys.read, "GET", `/sends/${message_id}`);
  const { sent_at: _, delivered_at: __, read_at: ___, created_at, status, ...rest } = data;
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  const key = await call(keys.messaging, "GET", "/me");
  const { body: contacts } = await call(keys.read, "GET", `/contacts/${data.contact_id}`);
  assert.equal(contacts.data.phone, json.phone);
  // The sandbox may have reported on the send in the meantime.
  assert.match(status, /^(accepted|sent|delivered|read)$/);
  assert.deepEqual(rest, {
    ...{ message_id, company_id: own.id, conversation_id, idempotency_key: "order, A-1" },
    ...{ contact_id: rest.contact_id, api_key_id: key.body.data.key.id },
    ...{ kind: "template", template_name: "order_update", language_code: "en_US" },
    ...{ state: "sent", attempt: 1, failure: null, double_sent: false, whatsapp_message_id },
    ...{ lease_ends_at: null, failed_at: null, expired_at: null },
  });
  const [found] = await find("order, A-1", { keys, ...own });
  assert.equal(found.message_id, message_id);
  assert.deepEqual(Object.keys(found), Object.keys(data));
});

Deno.test("an idempotency key with any characters finds only the send with that key", async () => {
  const odd = ["a,b", "a\\,b", 'in."(', "eq.x", "*", "100%", "a b+c", "ÜÑ🎈", "x".repeat(200), "A"];
  for (const idempotency_key of odd) {
    const { message_id } = await added({ idempotency_key });
    const found = await find(idempotency_key);
    assert.deepEqual(found.map((each: { message_id: string }) => each.message_id), [message_id]);
  }
  for (const key of ["a", "b", "%", "null", "in.(a,b)", "x".repeat(199)]) {
    assert.deepEqual(await find(key), [], key);
  }
  const other = await newCompany();
  assert.deepEqual(await find("A", other), []);
});

Deno.test("a free reply has no template", async () => {
  const { kind, template_name, language_code } = await added({
    template_name: null,
    language_code: null,
  });
  assert.deepEqual([kind, template_name, language_code], ["reply", null, null]);
});

Deno.test("a pending send shows the end of its lease, and is returned as failed after that time", async () => {
  const lease_ends_at = new Date(Date.now() + 60_000);
  const pending = await added({ state: "pending", lease_ends_at });
  assert.deepEqual(
    [pending.state, pending.status, pending.failure, Date.parse(pending.lease_ends_at)],
    ["pending", "pending", null, lease_ends_at.getTime()],
  );
  const failure = { reason: "outcome_unknown", code: null, message: null, details: null };
  // Reading the send does not change its row. If another test's job has stored the failure, the
  // test tries again.
  await until(async () => {
    const ended = await added({ state: "pending", lease_ends_at: new Date(Date.now() - 1) });
    assert.deepEqual(
      [ended.state, ended.status, ended.failure, ended.lease_ends_at],
      ["failed", "failed", failure, null],
    );
    const [{ state }] = await statement`
      select state from sends where message_id = ${ended.message_id}
    `;
    return state === "pending";
  });
});

Deno.test("a send that failed or was released shows the reason and the number of attempts", async () => {
  const failed = await added({
    state: "failed",
    reason: "template_rejected",
    channel_code: 132001,
  });
  assert.deepEqual([failed.state, failed.status, failed.attempt, failed.failure], [
    ...["failed", "failed", 1],
    { reason: "template_rejected", code: 132001, message: null, details: null },
  ]);
  const released = await added({ state: "released", reason: "channel_unavailable", attempt: 3 });
  assert.deepEqual([released.state, released.status, released.attempt, released.failure], [
    ...["released", "failed", 3],
    { reason: "channel_unavailable", code: null, message: null, details: null },
  ]);
});

Deno.test("a send shows the channel's reports about its message, but its `state` remains `sent`", async () => {
  const failure = {
    reason: "window_closed",
    code: 131047,
    message: "Re-engagement",
    details: "24h",
  };
  const times = { sent_at: "2026-01-01T12:00:00+00:00", failed_at: "2026-01-01T12:00:09+00:00" };
  const lost = await added({}, { ...times, failure });
  assert.deepEqual(lost, { ...lost, ...times, state: "sent", status: "failed", failure });
  const twice = await added({ double_sent_ids: ["wamid.2"] }, { read_at: times.sent_at });
  assert.deepEqual([twice.double_sent, twice.status, twice.failure], [true, "read", null]);
});

Deno.test("an invalid list parameter is refused, and the error names the parameter", async () => {
  const refused: [string, string, RegExp][] = [
    ["?idempotency_key=", "idempotency_key", /^is empty; it must have 1 to 200 characters/],
    [`?idempotency_key=${"x".repeat(201)}`, "idempotency_key", /^must have 1 to 200 characters/],
    ["?idempotency_key=%00", "idempotency_key", /no null character/],
    ["?idempotency_key=a&idempotency_key=b", "idempotency_key", /once/],
    ["?state=accepted", "state", /^must be one of pending, sent, failed, released/],
    ["?status=released", "status", /^must be one of pending, accepted/],
    ["?api_key_id=1", "api_key_id", /UUID/],
    ["?phone=0555", "phone", /country code/],
    ["?fields=claim_id", "fields", /claim_id/],
    ["?fields=reason", "fields", /reason/],
    ["?claim_id=1", "claim_id", /./],
  ];
  for (const [query, field, message] of refused) {
    assertField(await call(company.keys.read, "GET", `/sends${query}`), field, message);
  }
});

/** The message ids of the sends that a query returns. */
async function listed(of: Company, query: Record<string, string>): Promise<string[]> {
  const { status, body } = await call(of.keys.read, "GET", `/sends?${new URLSearchParams(query)}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ message_id }: { message_id: string }) => message_id);
}

Deno.test("if the lease of a send has expired, filters find the send as failed with the reason `outcome_unknown`, and not as pending", async () => {
  const own = await newCompany();
  const ended = { state: "pending", lease_ends_at: new Date(Date.now() - 1) } as const;
  const { message_id } = await added(ended, {}, own);
  for (
    const query of [
      "state=failed",
      "status=failed",
      "reason=outcome_unknown",
      "reason[empty]=false",
    ]
  ) {
    const found = await listed(own, Object.fromEntries(new URLSearchParams(query)));
    assert.deepEqual(found, [message_id], query);
  }
  for (const other of ["pending", "sent", "released"]) {
    assert.deepEqual(await listed(own, { state: other }), [], other);
  }
  assert.deepEqual(await listed(own, { status: "pending" }), []);
});

Deno.test("a send is found by the failure reason that the channel reported, although its `state` is `sent`", async () => {
  const own = await newCompany();
  const failure = { reason: "recipient_unreachable", code: 131026, message: null, details: null };
  const { message_id } = await added({}, { failed_at: new Date().toISOString(), failure }, own);
  await added({ idempotency_key: "fine" }, {}, own);
  assert.deepEqual(await listed(own, { reason: "recipient_unreachable" }), [message_id]);
  assert.deepEqual(await listed(own, { status: "failed", state: "sent" }), [message_id]);
});

Deno.test("a send names the key that requested it, even after the key is deleted", async () => {
  const own = await newCompany();
  const json = {
    ...{ phone: anyPhone(), template_name: "order_update", language_code: "en_US" },
    ...{ display_text: "On its way.", body_variables: ["Ada", "A-1"] },
    phone_number_id: own.phone_number_id,
  };
  const headers = { "X-Api-Key": own.keys.messaging, "Content-Type": "application/json" };
  const { body } = await send(stack.template_url, "POST", headers, JSON.stringify(json));
  const me = await call(own.keys.messaging, "GET", "/me");
  const api_key_id = me.body.data.key.id;
  await statement`delete from api_keys where id = ${api_key_id}`;
  assert.deepEqual(await listed(own, { api_key_id }), [body.message_id]);
  assert.deepEqual(await listed(own, { "api_key_id[ne]": api_key_id }), []);
});

Deno.test("the `phone` filter finds sends by any spelling of a number, by an additional number and by an archived contact's number", async () => {
  const own = await newCompany();
  const phone = `+55119${String(90_000_000 + Math.floor(Math.random() * 9_999_999))}`;
  const other = anyPhone();
  await statement`update contacts set phone = ${phone} where id = ${own.contact_id}`;
  const { message_id, contact_id } = await added({}, {}, own);
  assert.equal(contact_id, own.contact_id);
  assert.deepEqual(await listed(own, { phone: phone.replace("+55119", "+5511") }), [message_id]);
  assert.deepEqual(await listed(own, { phone: other }), []);
  const duplicate = await call(own.keys.write, "POST", "/contacts", { json: { phone: other } });
  const merge = `/contacts/${contact_id}/merge`;
  const from = duplicate.body.data.id;
  assert.equal((await call(own.keys.write, "POST", merge, { json: { from } })).status, 200);
  assert.deepEqual(await listed(own, { phone: other }), [message_id]);
  await call(own.keys.write, "DELETE", `/contacts/${contact_id}`);
  for (const each of [phone, other, `${anyPhone()},${other}`]) {
    assert.deepEqual(await listed(own, { phone: each }), [message_id], each);
  }
});

Deno.test("an id that does not belong to a send returns a 404", async () => {
  const { body } = await call(company.keys.read, "GET", `/sends/${company.conversation_id}`);
  assert.deepEqual([body.code, body.error], ["not_found", "Send not found"]);
});
