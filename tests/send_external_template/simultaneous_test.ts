import assert from "node:assert/strict";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import type { Answer } from "../support/calls.ts";
import { ownSender } from "../support/own_functions.ts";
import {
  accepted,
  ownChannel,
  sendTemplate,
  slowChannel,
  takenFrom,
  template,
} from "../support/sending.ts";
import { sendCounts } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";

const MANY = 50;

function atOnce<Each>(work: (i: number) => Promise<Each>): Promise<Each[]> {
  return Promise.all(Array.from({ length: MANY }, (_, i) => work(i)));
}

/** How many rows a test has added; each company begins with one contact and its conversation. */
async function counts({ id }: Company) {
  const { contacts, conversations, messages, sends } = await withDatabase((sql) =>
    sendCounts(sql, id)
  );
  return { contacts: contacts - 1, conversations: conversations - 1, messages, sends };
}

function keysOf({ status, body }: Answer) {
  assert.equal(status, 200, JSON.stringify(body));
  return Object.keys(body).join();
}

const SENT =
  "success,conversation_id,message_id,whatsapp_message_id,created_conversation,idempotent_hit";
const REPEAT = "success,status,conversation_id,message_id,idempotent_hit";

Deno.test("of 50 concurrent requests with one idempotency key, one sends, and the others report it", async () => {
  const company = await newCompany();
  const json = template(anyPhone(), { idempotency_key: "at once" });
  const answers = await atOnce(() => sendTemplate(company.keys.messaging, json));

  assert.equal((await takenFrom(company)).length, 1);
  const firsts = answers.filter((answer) => keysOf(answer) === SENT);
  const repeats = answers.filter((answer) => keysOf(answer) === REPEAT);
  assert.deepEqual([firsts.length, repeats.length], [1, MANY - 1]);
  for (const { body } of repeats) {
    assert.ok(["sent", "pending"].includes(body.status));
    assert.deepEqual([body.success, body.message_id, body.conversation_id], [
      body.status === "sent",
      firsts[0].body.message_id,
      firsts[0].body.conversation_id,
    ]);
  }
  assert.deepEqual(await counts(company), { contacts: 1, conversations: 1, messages: 1, sends: 1 });
});

Deno.test("50 repeats during a send report it as pending", async () => {
  const company = await newCompany();
  await using channel = slowChannel();
  const send = await ownSender(channel.url);
  const json = template(anyPhone(), { idempotency_key: "slow" });
  const first = send(company.keys.messaging, json);
  await channel.called;
  const repeats = await atOnce(() => sendTemplate(company.keys.messaging, json));
  channel.answer();
  const { body } = await first;
  assert.equal(body.success, true);
  for (const repeat of repeats) {
    assert.deepEqual(repeat.body, {
      success: false,
      status: "pending",
      conversation_id: body.conversation_id,
      message_id: body.message_id,
      idempotent_hit: true,
    });
  }
  assert.equal(channel.calls.length, 1);
  assert.deepEqual(await takenFrom(company), []);
});

Deno.test("of 50 concurrent repeats of a throttled send, one sends", async () => {
  const company = await newCompany();
  let isThrottled = true;
  await using channel = ownChannel(() =>
    isThrottled ? Response.json({ error: { code: 130429 } }, { status: 429 }) : accepted()
  );
  const send = await ownSender(channel.url);
  const json = template(anyPhone(), { idempotency_key: "again" });
  assert.equal((await send(company.keys.messaging, json)).body.outcome, "not_sent");
  isThrottled = false;
  const answers = await atOnce(() => send(company.keys.messaging, json));
  assert.equal(answers.filter((answer) => keysOf(answer) === SENT).length, 1);
  assert.equal(channel.calls.length, 2);
  assert.deepEqual(await counts(company), { contacts: 1, conversations: 1, messages: 1, sends: 1 });
});

Deno.test("50 concurrent sends to a new phone make one contact, one conversation and 50 messages", async () => {
  const company = await newCompany();
  const phone = anyPhone();
  const answers = await atOnce(() => sendTemplate(company.keys.messaging, template(phone)));
  for (const answer of answers) assert.equal(keysOf(answer), SENT);
  assert.equal(answers.filter(({ body }) => body.created_conversation).length, 1);
  assert.equal((await takenFrom(company)).length, MANY);
  assert.deepEqual(await counts(company), {
    contacts: 1,
    conversations: 1,
    messages: MANY,
    sends: MANY,
  });
});

const SPELLINGS = {
  Brazil: ["+5511987654321", "+551187654321"],
  Mexico: ["+5215512345678", "+525512345678"],
  Argentina: ["+5491123456789", "+541123456789"],
};

for (const [country, spellings] of Object.entries(SPELLINGS)) {
  Deno.test(`50 concurrent sends to both spellings of a phone in ${country} make one contact`, async () => {
    const company = await newCompany();
    const spelling = (i: number) => spellings[i % spellings.length];
    await atOnce((i) => sendTemplate(company.keys.messaging, template(spelling(i))));
    // The channel receives the number in the caller's spelling.
    for (const phone of spellings) {
      assert.equal((await takenFrom(company, phone)).length, MANY / spellings.length);
    }
    assert.deepEqual(await counts(company), {
      contacts: 1,
      conversations: 1,
      messages: MANY,
      sends: MANY,
    });
  });
}
