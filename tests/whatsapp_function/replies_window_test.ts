// Tests the conditions for sending a free reply: an open window, no `do_not_contact`, and a
// suitable conversation.

import assert from "node:assert/strict";
import { assertField } from "../support/calls.ts";
import { connectAccount, disconnectAccounts, newCompany } from "../support/company.ts";
import { ownReplies } from "../support/own_functions.ts";
import { A_DAY, replyIn, sendReply, windowOf, writes } from "../support/replying.ts";
import { accepted, ledgerOf, ownChannel, storedMessage } from "../support/sending.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

Deno.test("outside the window, the error says when the window closed and that a template is needed", async () => {
  const company = await newCompany();
  await writes(company, { secondsAgo: A_DAY + 3600 });
  const { expires_at } = await windowOf(company);
  const json = replyIn(company, { idempotency_key: "late" });
  const { status, body } = await sendReply(company.keys.messaging, json);
  const { window_expires_at } = body;
  assert.deepEqual([status, body], [409, {
    success: false,
    error: `The window for free replies closed at ${window_expires_at}; only a template can be ` +
      "sent until the person writes",
    code: "window_closed",
    request_id: body.request_id,
    window_expires_at,
  }]);
  assert.equal(Date.parse(window_expires_at), expires_at.getTime());
  assert.deepEqual(await ledgerOf(company), []);
});

Deno.test("a conversation has no window until the contact has sent a message", async () => {
  const company = await newCompany();
  const { status, body } = await sendReply(company.keys.messaging, replyIn(company));
  assert.deepEqual([status, body.code, body.window_expires_at], [409, "window_closed", null]);
  assert.match(body.error, /^The person has never written on this number; only a template/);
});

Deno.test("a window that the channel reports as closed remains closed until the contact sends a message", async () => {
  const company = await newCompany();
  await writes(company, { secondsAgo: 60 });
  let isClosed = true;
  const error = { code: 131047, message: "Re-engagement message", error_data: { details: "24 h" } };
  await using channel = ownChannel(() =>
    isClosed ? Response.json({ error }, { status: 400 }) : accepted()
  );
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { idempotency_key: "refused" });
  const { status, body } = await reply(company.keys.messaging, json);
  assert.deepEqual([status, body], [409, {
    success: false,
    error: "More than 24 hours have passed since the person last wrote, as the messaging channel " +
      "reports; only a template can be sent until the person writes again",
    code: "window_closed",
    request_id: body.request_id,
    channel: { code: 131047, message: "Re-engagement message", details: "24 h" },
  }]);
  const [{ state, reason, channel_code, message_id }] = await ledgerOf(company);
  assert.deepEqual([state, reason, channel_code], ["failed", "window_closed", 131047]);
  assert.equal((await storedMessage(message_id)).status, "failed");
  const repeat = (await reply(company.keys.messaging, json)).body;
  assert.deepEqual([repeat.status, repeat.idempotent_hit], ["failed", true]);

  isClosed = false;
  const next = await reply(company.keys.messaging, replyIn(company));
  assert.deepEqual([next.body.code, "channel" in next.body], ["window_closed", false]);
  assert.equal(channel.calls.length, 1);
  await writes(company, { secondsAgo: 0 });
  assert.equal((await reply(company.keys.messaging, replyIn(company))).body.success, true);
});

Deno.test("`do_not_contact` stops replies until the contact writes again, and the idempotency key can be used again", async () => {
  const company = await newCompany();
  await writes(company, { secondsAgo: 120 });
  await statement`
    update contacts set do_not_contact = true, do_not_contact_source = 'word',
      do_not_contact_at = (select last_inbound_at from contact_windows where contact_id = contacts.id)
    where id = ${company.contact_id}
  `;
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const json = replyIn(company, { idempotency_key: "after the word" });
  const stopped = await reply(company.keys.messaging, json);
  assert.deepEqual([stopped.status, stopped.body], [200, {
    success: false,
    reason: "do_not_contact",
  }]);
  await writes(company, { secondsAgo: 60 });
  const sent = await reply(company.keys.messaging, json);
  assert.deepEqual([sent.body.success, sent.body.idempotent_hit], [true, false]);
});

Deno.test("a closed conversation accepts no replies, and the error names the conversation that accepts them", async () => {
  const company = await newCompany();
  await writes(company);
  await statement`update conversations set status = 'closed' where id = ${company.conversation_id}`;
  const alone = await sendReply(company.keys.messaging, replyIn(company));
  assert.deepEqual([alone.status, alone.body.code, "existing_id" in alone.body], [
    ...[409, "conflict"],
    false,
  ]);
  assert.match(alone.body.error, /^The conversation is closed; open it again/);
  const [{ id }] = await statement`
    insert into conversations (company_id, contact_id, messaging_account_id)
    values (${company.id}, ${company.contact_id}, ${company.account_id}) returning id
  `;
  const { status, body } = await sendReply(company.keys.messaging, replyIn(company));
  assert.deepEqual([status, body.code, body.existing_id], [409, "conflict", id]);
});

Deno.test("a reply in another company's conversation returns a 404, as for an unknown conversation", async () => {
  const [own, other] = [await newCompany(), await newCompany()];
  await writes(other);
  for (const conversation_id of [other.conversation_id, crypto.randomUUID()]) {
    const { status, body } = await sendReply(own.keys.messaging, replyIn({ conversation_id }));
    assert.deepEqual([status, body.success, body.code, body.error], [
      ...[404, false, "not_found"],
      "Conversation not found",
    ]);
  }
});

Deno.test("if a conversation's account is disconnected, a reply returns a 404 that gives this reason", async () => {
  const company = await newCompany();
  await writes(company);
  await withDatabase(async (sql) => {
    await disconnectAccounts(sql, company.id);
    // The newly connected account must not send the reply instead.
    await connectAccount(sql, company.id);
  });
  const { status, body } = await sendReply(company.keys.messaging, replyIn(company));
  assert.deepEqual([status, body.code], [404, "account_not_connected"]);
});

Deno.test("every invalid field in the body is refused, and the error names the field", async () => {
  const company = await newCompany();
  await writes(company);
  const cases: [Record<string, unknown>, string, string | RegExp][] = [
    [{ conversation_id: undefined }, "conversation_id", "is required"],
    [{ conversation_id: "12" }, "conversation_id", "must be a UUID"],
    [{ conversation_id: null }, "conversation_id", "must not be null"],
    [{ text: undefined }, "text", "is required"],
    [{ text: "" }, "text", "must not be empty"],
    [{ text: " \n " }, "text", "must not be empty"],
    [{ text: "👍".repeat(4097) }, "text", "must have at most 4096 characters"],
    [{ text: "a\0" }, "text", /null character/],
    [{ text: "\ud83d" }, "text", /half a surrogate pair/],
    [{ idempotency_key: "" }, "idempotency_key", "must not be empty"],
    [{ idempotency_key: "k".repeat(201) }, "idempotency_key", "must have at most 200 characters"],
    [{ idempotency_key: null }, "idempotency_key", "must not be null"],
    [{ phone: "+5511987654321" }, "phone", /^is not a field that is accepted here/],
    [{ type: "text" }, "type", /^is not a field that is accepted here/],
  ];
  for (const [changes, field, message] of cases) {
    const answer = await sendReply(company.keys.messaging, replyIn(company, changes));
    assertField(answer, field, message);
    assert.equal(answer.body.success, false);
  }
  const parameter = await sendReply(company.keys.messaging, replyIn(company), "?dry_run=yes");
  assertField(parameter, "dry_run", "must be true or false");
  assert.deepEqual(await ledgerOf(company), []);
});

Deno.test("a reply with a text of 4096 characters is sent completely", async () => {
  const company = await newCompany();
  await writes(company);
  await using channel = ownChannel(() => accepted());
  const reply = await ownReplies(channel.url);
  const text = "👍".repeat(4096);
  const { body } = await reply(company.keys.messaging, replyIn(company, { text }));
  assert.equal(body.success, true);
  assert.equal(channel.calls[0].body.text.body, text);
  assert.equal((await storedMessage(body.message_id)).content, text);
});
