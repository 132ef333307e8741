// Tests what the API shows after a simulated person taps a button, or writes a message that is
// hours old. Each test has its own sandbox, and uses the stack's functions.
import assert from "node:assert/strict";
import { sandbox } from "../../sandbox/sandbox.ts";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { call } from "../support/calls.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { ownReplies } from "../support/own_functions.ts";
import { stack, statement } from "../support/test_stack.ts";
import { rolledBack } from "../support/acting_as.ts";

const HOUR_MS = 60 * 60 * 1000;
const { callback_url, app_key, app_secret } = stack.channel_app!;

/** Creates a company, and a sandbox whose events are posted to the stack. */
async function played() {
  const company = await newCompany();
  await statement`
    update messaging_accounts set
      channel_app_id = (select id from channel_apps where app_key = ${app_key})
    where id = ${company.account_id}
  `;
  const webhook = () => ({ url: callback_url, secret: app_secret });
  const channel = sandbox({ webhook, pace: 0 });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, channel.fetch);
  const url = `http://127.0.0.1:${server.addr.port}/sandbox`;
  const from = anyPhone();

  const post = async (path: string, json: object) => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${SANDBOX_TOKEN}` },
      body: JSON.stringify(json),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    company,
    reply: await ownReplies(`${url}/v26.0`),
    /** Makes the person write or tap, and returns the sandbox's response. */
    plays: (json: object) =>
      post("/inbound", { phone_number_id: company.phone_number_id, from, ...json }),
    /** Sends a template directly to the sandbox, without the service. */
    async sendTemplate(template: object) {
      const message = { messaging_product: "whatsapp", to: from, type: "template", template };
      return (await post(`/v26.0/${company.phone_number_id}/messages`, message)).body;
    },
    [Symbol.asyncDispose]: async () => {
      await channel.stop();
      await server.shutdown();
    },
  };
}

/** The newest conversation of the company, and the newest message in it. */
async function newest({ keys }: Company) {
  const conversations = await call(
    keys.read,
    "GET",
    "/conversations?sort=-last_message_at&limit=1",
  );
  const [conversation] = conversations.body.data;
  const path = `/conversations/${conversation.id}/messages?direction=inbound&limit=1`;
  const { body: { data: [message] } } = await call(keys.read, "GET", path);
  return { conversation, message };
}

Deno.test("if a person taps a reply button or a list row, a message with the choice replies to the service's message", async () => {
  await using own = await played();
  const { company, plays, reply } = own;
  assert.equal((await plays({ text: "Can you visit us?" })).body.posted, true);
  const { conversation: { id: conversation_id } } = await newest(company);
  const buttons = [{ id: "slot-1", title: "Tue 15h" }, { id: "slot-2", title: "Wed 9h" }];
  const asked = await reply(company.keys.messaging, {
    ...{ conversation_id, text: "When suits you?", buttons },
  });
  assert.equal(asked.body.success, true, JSON.stringify(asked.body));
  assert.equal((await plays({ tap: "slot-2" })).body.posted, true);
  const tapped = (await newest(company)).message;
  assert.deepEqual([tapped.type, tapped.content, tapped.reply_to_id, tapped.choice], [
    ...["interactive", "Wed 9h", asked.body.message_id],
    { type: "button_reply", id: "slot-2", title: "Wed 9h", description: null },
  ]);

  const rows = [{ id: "late", title: "It is late", description: "More than a day" }];
  const list = { button: "Choose", sections: [{ rows }] };
  const listed = await reply(company.keys.messaging, { conversation_id, text: "Why?", list });
  await plays({ tap: "late" });
  const { reply_to_id, choice } = (await newest(company)).message;
  assert.deepEqual([reply_to_id, choice], [
    listed.body.message_id,
    { type: "list_reply", id: "late", title: "It is late", description: "More than a day" },
  ]);

  await plays({ tap: "slot-1", answers: asked.body.whatsapp_message_id });
  assert.equal((await newest(company)).message.choice.id, "slot-1");
});

Deno.test("a tap on a template's quick reply contains the payload of the send, or else the button's text", async () => {
  await using own = await played();
  const body = (...texts: string[]) => ({
    type: "body",
    parameters: texts.map((text) => ({ type: "text", text })),
  });
  const components = [
    { type: "header", parameters: [{ type: "text", text: "S-204" }] },
    body("Ada", "2 May"),
    ...[{ type: "button", sub_type: "quick_reply", index: 0 }].map((button) => ({
      ...button,
      parameters: [{ type: "payload", payload: "yes-204" }],
    })),
  ];
  const language = { code: "en_US" };
  await own.sendTemplate({ name: "service_visit", language, components });
  const choices = [["Confirm", "yes-204"], ["Another day", "Another day"]];
  for (const [title, id] of choices) {
    assert.equal((await own.plays({ tap: title })).body.posted, true);
    const { message } = await newest(own.company);
    assert.deepEqual([message.type, message.content, message.choice], [
      ...["button", title],
      { type: "button", id, title, description: null },
    ]);
  }
});

Deno.test("a tap on a button that the person has not received is refused, and the error says what the person can tap", async () => {
  await using own = await played();
  const language = { code: "en_US" };
  const refusal = async (json: object) => {
    const { status, body } = await own.plays(json);
    return [status, body.message];
  };
  const nothing = "tap needs a message with buttons or a list that the number has sent to the " +
    "person since the sandbox started";
  assert.deepEqual(await refusal({ tap: "Confirm" }), [400, nothing]);
  await own.sendTemplate({ name: "hello_world", language, components: [] });
  assert.deepEqual(await refusal({ tap: "Confirm" }), [400, nothing]);
  const parameters = [{ type: "text", text: "Ada" }, { type: "text", text: "Correos" }];
  const button = { type: "button", sub_type: "url", index: 1, parameters: [parameters[0]] };
  const components = [{ type: "body", parameters }, button];
  await own.sendTemplate({ name: "delivery_tracking", language, components });
  assert.deepEqual(await refusal({ tap: "Track it" }), [400, "tap must be one of Not at home"]);
  assert.deepEqual(await refusal({ tap: "Not at home", answers: "wamid.1" }), [400, nothing]);
  const other = { from: anyPhone(), tap: "Not at home" };
  assert.deepEqual(await refusal(other), [400, nothing]);
});

Deno.test("a message from 25 hours ago leaves the window closed, and a later message opens it", async () => {
  await using own = await played();
  const { company, plays, reply } = own;
  const began = Date.now();
  assert.equal((await plays({ text: "Hello", hours_ago: 25 })).body.posted, true);
  const { conversation, message } = await newest(company);
  const closed = Date.parse(conversation.window_expires_at);
  assert.ok(Math.abs(closed - (began - HOUR_MS)) < 60_000, conversation.window_expires_at);
  assert.ok(Math.abs(Date.parse(message.sent_at) - (began - 25 * HOUR_MS)) < 60_000);
  const json = { conversation_id: conversation.id, text: "Good morning" };
  const late = await reply(company.keys.messaging, json);
  assert.deepEqual([late.status, late.body.code, late.body.window_expires_at], [
    ...[409, "window_closed", conversation.window_expires_at],
  ]);
  await plays({ text: "Are you there?" });
  assert.equal((await reply(company.keys.messaging, json)).body.success, true);
  // An older message does not close the window.
  await plays({ text: "An older message", hours_ago: 48 });
  assert.equal((await reply(company.keys.messaging, json)).body.success, true);
});

Deno.test("after a message from 23.5 hours ago, the job writes the event conversation.window_closing once", async () => {
  await using own = await played();
  await own.plays({ text: "Hello", hours_ago: 23.5 });
  const { conversation } = await newest(own.company);
  await rolledBack(async (sql) => {
    const closing = async () => {
      await sql`select app.note_passed_times()`;
      const rows = await sql`
        select record_id from app.events
        where company_id = ${own.company.id} and type = 'conversation.window_closing'
      `;
      return rows.map(({ record_id }) => record_id);
    };
    assert.deepEqual(await closing(), [conversation.id]);
    assert.deepEqual(await closing(), [conversation.id]);
  });
});

Deno.test("the sandbox accepts hours_ago from 0 to 168", async () => {
  await using own = await played();
  for (const hours_ago of [-1, 168.1, "1", null]) {
    const { status, body } = await own.plays({ text: "Hello", hours_ago });
    assert.equal(status, 400);
    assert.match(body.message, /^hours_ago must be (?:a number|from 0 to 168)$/);
  }
  for (const hours_ago of [0, 168]) {
    assert.equal((await own.plays({ text: "Hello", hours_ago })).status, 200);
  }
});
