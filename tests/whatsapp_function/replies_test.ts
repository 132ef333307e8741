// Tests the responses to free replies, the calls to the channel and the rows in the database.

import assert from "node:assert/strict";
import { call, send } from "../support/calls.ts";
import { connectAccount, newCompany } from "../support/company.ts";
import { ownReplies, watchedStack } from "../support/own_functions.ts";
import { hidePhone, replyIn, sendReply, windowOf, writes } from "../support/replying.ts";
import { accepted, ledgerOf, ownChannel, setToken, storedMessage } from "../support/sending.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";

Deno.test("a free reply stores a message, sends it, and returns the channel's message id", async () => {
  const company = await newCompany();
  await setToken(company, "EAAGtoken-1._~+/=");
  await writes(company);
  await using channel = ownChannel(() => accepted("wamid.reply"));
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { text: " \t Olá, José́ 🚚\n ", idempotency_key: "reply-1" });
  const { status, body, headers } = await reply(company.keys.messaging, json);
  assert.deepEqual([status, body], [200, {
    success: true,
    conversation_id: company.conversation_id,
    message_id: body.message_id,
    whatsapp_message_id: "wamid.reply",
    created_conversation: false,
    idempotent_hit: false,
  }]);
  assert.ok(headers.get("X-Request-Id"));
  assert.equal(headers.get("Cache-Control"), "no-store");

  const { body: { data: contact } } = await call(
    company.keys.all,
    "GET",
    `/contacts/${company.contact_id}`,
  );
  const [{ id, attempt, template_name, language_code, state }, ...others] = await ledgerOf(company);
  assert.deepEqual([attempt, template_name, language_code, state, others], [
    ...[1, null, null, "sent"],
    [],
  ]);
  const [{ path, headers: sent, body: message }, ...more] = channel.calls;
  assert.deepEqual(more, []);
  assert.equal(path, `/v26.0/${company.phone_number_id}/messages`);
  assert.equal(sent.get("Authorization"), "Bearer EAAGtoken-1._~+/=");
  assert.deepEqual(message, {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: contact.phone,
    type: "text",
    biz_opaque_callback_data: `${id}.1`,
    text: { body: json.text },
  });

  const stored = await storedMessage(body.message_id);
  assert.deepEqual(
    [stored.content, stored.type, stored.direction, stored.status, stored.whatsapp_message_id],
    [json.text, "text", "outbound", "accepted", "wamid.reply"],
  );
  const { body: { data: conversation } } = await call(
    company.keys.all,
    "GET",
    `/conversations/${company.conversation_id}`,
  );
  assert.equal(Date.parse(conversation.last_message_at), stored.created_at.getTime());
});

Deno.test("a repeat with the same idempotency key sends nothing and returns the first reply, even if the text differs", async () => {
  const company = await newCompany();
  await writes(company);
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { idempotency_key: "réveil 🕖" });
  const first = (await reply(company.keys.messaging, json)).body;
  await statement`update conversations set status = 'closed' where id = ${company.conversation_id}`;
  for (const repeat of [json, { ...json, text: "Something else" }]) {
    const { status, body: { mismatch: _, ...body } } = await reply(company.keys.all, repeat);
    assert.deepEqual([status, body], [200, {
      success: true,
      status: "sent",
      conversation_id: first.conversation_id,
      message_id: first.message_id,
      idempotent_hit: true,
    }]);
  }
  const other = { ...json, conversation_id: crypto.randomUUID() };
  assert.equal((await reply(company.keys.all, other)).body.code, "idempotency_key_reused");
  assert.equal(channel.calls.length, 1);
});

Deno.test("a reply to a contact with a hidden phone number is sent to the contact's newest user id", async () => {
  const company = await newCompany();
  await writes(company);
  await hidePhone(company, ["BR.111", "BR.222"]);
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  assert.equal((await reply(company.keys.messaging, replyIn(company))).status, 200);
  const [{ body }] = channel.calls;
  assert.deepEqual([body.recipient, "to" in body], ["BR.222", false]);
});

Deno.test("a reply is sent from the conversation's own phone number with that phone number's token", async () => {
  const company = await newCompany();
  const other = await withDatabase((sql) => connectAccount(sql, company.id));
  await setToken(company, "first");
  await setToken({ ...other, id: company.id, account_id: other.id }, "second");
  const [{ id: otherConversation }] = await statement`
    insert into conversations (company_id, contact_id, messaging_account_id)
    values (${company.id}, ${company.contact_id}, ${other.id}) returning id
  `;
  const onOther = { ...company, conversation_id: otherConversation };
  await writes(onOther);
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const refused = await reply(company.keys.messaging, replyIn(company));
  assert.equal(refused.body.code, "window_closed");
  await writes(company);
  for (const each of [onOther, company]) {
    assert.equal((await reply(company.keys.messaging, replyIn(each))).status, 200);
  }
  assert.deepEqual(
    channel.calls.map(({ path, headers }) => [path.split("/")[2], headers.get("Authorization")]),
    [[other.phone_number_id, "Bearer second"], [company.phone_number_id, "Bearer first"]],
  );
});

Deno.test("a reply does not extend the window of its conversation", async () => {
  const company = await newCompany();
  await writes(company, { secondsAgo: 3600 });
  const before = await windowOf(company);
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  await reply(company.keys.messaging, replyIn(company));
  assert.deepEqual(await windowOf(company), before);
});

Deno.test("a reply makes two database round trips, and a request that sends nothing makes one", async () => {
  const company = await newCompany();
  await writes(company);
  await using database = watchedStack();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url, { supabaseUrl: database.url });
  const trips = async (json: unknown, query = "") => {
    database.seen.length = 0;
    await reply(company.keys.messaging, json, query);
    return database.seen.map(({ path }) => path.replace("/rest/v1/rpc/", ""));
  };
  const keyed = replyIn(company, { idempotency_key: "k" });
  assert.deepEqual(await trips(keyed, "?dry_run=true"), ["claim_reply"]);
  assert.deepEqual(await trips(keyed), ["claim_reply", "settle_send"]);
  assert.deepEqual(await trips(keyed), ["claim_reply"]);
  assert.deepEqual(await trips(replyIn(company, { text: "" })), ["authenticate"]);
  const unknown = { conversation_id: crypto.randomUUID() };
  assert.deepEqual(await trips(replyIn(unknown)), ["claim_reply"]);
});

Deno.test("a dry run returns the result that the reply would have, but stores and sends nothing", async () => {
  const company = await newCompany();
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { idempotency_key: "dry" });
  const dry = async () => {
    const { status, body } = await reply(company.keys.messaging, json, "?dry_run=true");
    return [status, body.outcome ?? body.code, body.success];
  };
  assert.deepEqual(await dry(), [409, "window_closed", false]);
  await writes(company);
  assert.deepEqual(await dry(), [200, "send", true]);
  assert.deepEqual([await ledgerOf(company), channel.calls.length], [[], 0]);
  await reply(company.keys.messaging, json);
  assert.deepEqual(await dry(), [200, "repeat", true]);
  await statement`update contacts set do_not_contact = true where id = ${company.contact_id}`;
  const other = replyIn(company);
  const { body } = await reply(company.keys.messaging, other, "?dry_run=true");
  assert.deepEqual(body, { success: false, dry_run: true, outcome: "do_not_contact" });
  assert.deepEqual([(await ledgerOf(company)).length, channel.calls.length], [1, 1]);
});

Deno.test("only POST requests are accepted, and the method is checked before the API key", async () => {
  const url = `${stack.url}/functions/v1/whatsapp/messages`;
  for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const { status, headers, body } = await send(url, method, {});
    assert.deepEqual([status, headers.get("Allow")], [405, "POST"]);
    assert.deepEqual([body.success, body.code], [false, "method_not_allowed"]);
    assert.equal(body.request_id, headers.get("X-Request-Id"));
  }
});

Deno.test("a request to a path below the endpoint returns a 404, after the API key is checked", async () => {
  const { keys } = await newCompany();
  const url = `${stack.url}/functions/v1/whatsapp/messages/x`;
  const answers: [string | null, number, string][] = [
    [null, 401, "missing_api_key"],
    [keys.messaging, 404, "route_not_found"],
  ];
  for (const [key, status, code] of answers) {
    const headers: Record<string, string> = key === null ? {} : { "X-Api-Key": key };
    const answer = await send(url, "POST", headers);
    assert.deepEqual([answer.status, answer.body.code, answer.body.success], [status, code, false]);
  }
});

Deno.test("a reply requires a key with the `messaging` scope, and the key is checked before the body", async () => {
  const company = await newCompany();
  const refusals: [string | null, number, string][] = [
    [null, 401, "Missing API key"],
    ["sk_live_wrong", 401, "Invalid or expired API key"],
    [company.keys.read, 403, "This API key does not have messaging permission"],
    [company.keys.write, 403, "This API key does not have messaging permission"],
  ];
  for (const json of [replyIn(company), { nonsense: true }]) {
    for (const [key, status, error] of refusals) {
      const answer = await sendReply(key, json);
      assert.deepEqual(
        [answer.status, answer.body.success, answer.body.error],
        [status, false, error],
      );
    }
  }
});
