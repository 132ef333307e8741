import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { call } from "../support/calls.ts";
import { ownSender, watchedStack } from "../support/own_functions.ts";
import {
  accepted,
  ledgerOf,
  ownChannel,
  sendTemplate,
  storedMessage,
  takenFrom,
  template,
} from "../support/sending.ts";
import { statement } from "../support/test_stack.ts";

Deno.test("a first send creates a contact, a conversation and a message, and returns the channel's message id", async () => {
  const company = await newCompany();
  const phone = anyPhone();
  const json = template(phone, { contact_name: "Grace Hopper", template_header_type: "image" });
  const { status, body, headers } = await sendTemplate(company.keys.messaging, json);

  const [taken, ...more] = await takenFrom(company);
  assert.deepEqual([status, body, more], [200, {
    success: true,
    conversation_id: body.conversation_id,
    message_id: body.message_id,
    whatsapp_message_id: taken.id,
    created_conversation: true,
    idempotent_hit: false,
  }, []]);
  assert.ok(headers.get("X-Request-Id"));
  assert.equal(headers.get("Cache-Control"), "no-store");

  const contacts = (await call(company.keys.all, "GET", "/contacts")).body.data;
  const contact = contacts.find((each: { phone: string }) => each.phone === phone);
  assert.deepEqual(
    [contact.name, contact.source, contact.do_not_contact],
    ["Grace Hopper", "api", false],
  );

  const message = await storedMessage(body.message_id);
  assert.deepEqual(
    [message.content, message.type, message.direction, message.status],
    [json.display_text, "image", "outbound", "accepted"],
  );
  assert.deepEqual([message.whatsapp_message_id, message.conversation_id], [
    taken.id,
    body.conversation_id,
  ]);

  const conversations = (await call(company.keys.all, "GET", "/conversations")).body.data;
  const conversation = conversations.find((each: { id: string }) =>
    each.id === body.conversation_id
  );
  assert.deepEqual([conversation.contact_id, conversation.status], [contact.id, "open"]);
  assert.equal(Date.parse(conversation.last_message_at), message.created_at.getTime());
});

Deno.test("a repeat with the same idempotency key sends nothing and returns the first send, even if other values differ", async () => {
  const company = await newCompany();
  const json = template(anyPhone(), { idempotency_key: "réveil 🕖 2026-11-21" });
  const first = (await sendTemplate(company.keys.messaging, json)).body;
  const repeats = [
    json,
    { ...json, display_text: "Something else", template_header_type: "video" },
    { ...json, phone_number_id: "1" },
  ];
  for (const repeat of repeats) {
    const { status, body: { mismatch: _, ...body } } = await sendTemplate(company.keys.all, repeat);
    assert.deepEqual([status, body], [200, {
      success: true,
      status: "sent",
      conversation_id: first.conversation_id,
      message_id: first.message_id,
      idempotent_hit: true,
    }]);
  }
  const { idempotency_key } = json;
  const other = await sendTemplate(company.keys.all, template(anyPhone(), { idempotency_key }));
  assert.equal(other.body.code, "idempotency_key_reused");
  assert.equal((await takenFrom(company)).length, 1);
  const { content, type } = await storedMessage(first.message_id);
  assert.deepEqual([content, type], [json.display_text, "text"]);
  const contacts = (await call(company.keys.all, "GET", "/contacts")).body.data;
  assert.deepEqual(
    contacts.map((each: { phone: string }) => each.phone).includes(json.phone),
    true,
  );
  assert.equal(contacts.length, 2, "the request with another phone created no contact");
});

Deno.test("a contact with `do_not_contact` gets no message, and the idempotency key can be used again", async () => {
  const company = await newCompany();
  const phone = anyPhone();
  const forbid = async (do_not_contact: boolean) => {
    const { body } = await call(company.keys.all, "GET", "/contacts");
    const { id } = body.data.find((each: { phone: string }) => each.phone === phone);
    const path = `/contacts/${id}`;
    await call(company.keys.all, "PATCH", path, { json: { phone, do_not_contact } });
  };
  const send = (idempotency_key: string) =>
    sendTemplate(company.keys.messaging, template(phone, { idempotency_key }));

  const sent = await send("first");
  assert.equal(sent.body.success, true);
  await forbid(true);
  const stopped = await send("second");
  assert.deepEqual([stopped.status, stopped.body], [200, {
    success: false,
    reason: "do_not_contact",
  }]);
  const repeat = await send("first");
  assert.deepEqual([repeat.body.success, repeat.body.status], [true, "sent"]);
  assert.deepEqual([(await takenFrom(company)).length, (await ledgerOf(company)).length], [1, 1]);

  await forbid(false);
  const allowed = await send("second");
  assert.deepEqual([allowed.body.success, allowed.body.idempotent_hit], [true, false]);
});

Deno.test("a send makes two database round trips, and a request that sends nothing makes one", async () => {
  const company = await newCompany();
  await using database = watchedStack();
  await using channel = ownChannel(({ body }) =>
    body.template.name === "down" ? new Response(null, { status: 500 }) : accepted()
  );
  const send = await ownSender(channel.url, { supabaseUrl: database.url });
  const phone = anyPhone();
  const trips = async (json: unknown) => {
    database.seen.length = 0;
    await send(company.keys.messaging, json);
    return database.seen.map(({ path }) => path.replace("/rest/v1/rpc/", ""));
  };
  const [claim, settle] = ["claim_template_send", "settle_send"];
  const keyed = template(phone, { idempotency_key: "k" });
  assert.deepEqual(await trips(keyed), [claim, settle]);
  assert.deepEqual(await trips(keyed), [claim]);
  assert.deepEqual(await trips(template(phone, { template_name: "down" })), [claim]);
  assert.deepEqual(await trips(template(phone, { phone_number_id: "1" })), [claim]);
  assert.deepEqual(await trips(template(phone, { display_text: "" })), ["authenticate"]);
  await statement`update contacts set do_not_contact = true where company_id = ${company.id}`;
  assert.deepEqual(await trips(template(phone)), [claim]);
});
