import assert from "node:assert/strict";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { type Answer, untilServed } from "../support/calls.ts";
import { sendTemplate, takenFrom, template } from "../support/sending.ts";
import { sendCounts } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";

const MANY = 50;

function atOnce<Each>(work: (i: number) => Promise<Each>): Promise<Each[]> {
  return Promise.all(Array.from({ length: MANY }, (_, i) => work(i)));
}

/**
 * The numbers of rows that a test has added. A new company already has one contact and one
 * conversation.
 */
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

Deno.test("of 50 simultaneous requests with the same idempotency key, one sends a message and the others return that send", async () => {
  const company = await newCompany();
  const json = template(anyPhone(), { idempotency_key: "at once" });
  const answers = await atOnce(() => untilServed(() => sendTemplate(company.keys.messaging, json)));

  assert.equal((await takenFrom(company)).length, 1);
  const firsts = answers.filter((answer) => keysOf(answer) === SENT);
  const repeats = answers.filter((answer) => keysOf(answer) === REPEAT);
  assert.deepEqual([firsts.length, repeats.length], [1, MANY - 1]);
  for (const { body } of repeats) {
    assert.ok(["sent", "pending"].includes(body.status));
    assert.deepEqual(
      [body.success, body.message_id, body.conversation_id],
      [body.status === "sent", firsts[0].body.message_id, firsts[0].body.conversation_id],
    );
  }
  assert.deepEqual(await counts(company), { contacts: 1, conversations: 1, messages: 1, sends: 1 });
});
