// A contact's message is stored once in the contact's conversation, in whatever order messages are
// delivered.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { addMessage, anyPhone, newCompany } from "../support/company.ts";
import { asSuperuser } from "../support/test_stack.ts";
import { atOnce, committed, overlapping } from "./connections.ts";
import { anyMessageId, anyUserId, at, contactsOf, contentsIn, tell } from "./inbound.ts";
import { claim, SENT, settle } from "./sends.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, account_id } = company;

async function conversationsOf(sql: Sql | postgres.Sql, contact_id: string) {
  return [
    ...await sql`
      select * from conversations where contact_id = ${contact_id} order by created_at, id
    `,
  ];
}

async function messageOf(sql: Sql, id: string) {
  const [message] = await sql`
    select * from messages where company_id = ${company_id} and whatsapp_message_id = ${id}
  `;
  return message;
}

test("a message from an unknown person creates a contact, a conversation and a message", async (sql) => {
  const person = { phone: anyPhone(), user_id: anyUserId(), name: "Luz" };
  const id = anyMessageId();
  const media = { id: "1", mime_type: "image/jpeg" };
  const payload = { image: { caption: "Oi" } };
  const told = { kind: "message", at: at(60), person, id, type: "image", media, payload };
  assert.equal(await tell(sql, account_id, told), "done");

  const contact = (await contactsOf(sql, company)).at(-1)!;
  assert.deepEqual(
    [contact.phone, contact.name, contact.source, contact.has_identity],
    [person.phone, "Luz", "whatsapp", true],
  );
  const [conversation, ...others] = await conversationsOf(sql, contact.id);
  assert.deepEqual(others, []);
  assert.deepEqual([conversation.status, conversation.messaging_account_id], ["open", account_id]);
  assert.equal(conversation.last_message_at.toISOString(), "2026-11-20T00:01:00.000Z");
  assert.equal(conversation.window_expires_at.toISOString(), "2026-11-21T00:01:00.000Z");
  const message = await messageOf(sql, id);
  assert.equal(message.conversation_id, conversation.id);
  assert.deepEqual(
    [message.direction, message.type, message.content, message.status],
    ["inbound", "image", "Oi", null],
  );
  assert.deepEqual([message.media, message.payload], [media, payload]);
  assert.equal(message.sent_at.toISOString(), "2026-11-20T00:01:00.000Z");
});

test("a message that is delivered twice is stored only once", async (sql) => {
  const told = { kind: "message", at: at(0), person: { phone: anyPhone() }, id: anyMessageId() };
  assert.equal(await tell(sql, account_id, told), "done");
  const rows = async () => [
    await contactsOf(sql, company),
    [...await sql`select * from messages where company_id = ${company_id}`],
    [...await sql`select * from conversations where company_id = ${company_id}`],
  ];
  const before = await rows();
  assert.equal(await tell(sql, account_id, told), "done");
  assert.deepEqual(await rows(), before);
});

test("an inbound message is not stored if one of the company's own messages has the same id", async (sql) => {
  const id = anyMessageId();
  await sql`
    insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
    values (${company_id}, ${company.conversation_id}, 'outbound', 'Hello', 'accepted', ${id})
  `;
  const before = await contactsOf(sql, company);
  const told = { kind: "message", at: at(0), person: { phone: anyPhone() }, id };
  assert.equal(await tell(sql, account_id, told), "ignored");
  assert.equal((await messageOf(sql, id)).direction, "outbound");
  assert.deepEqual(await contactsOf(sql, company), before);
});

Deno.test("two companies can each have a message with the same id", async () => {
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const told = { kind: "message", at: at(0), person: { phone: anyPhone() }, id: anyMessageId() };
    await tell(sql, account_id, told);
    assert.equal(await tell(sql, other.account_id, told), "done");
    const [{ count }] = await sql`
      select count(*)::int from messages where whatsapp_message_id = ${told.id}
    `;
    assert.equal(count, 2);
  });
});

test("messages keep the order of the event that contains them, even if their times are in a different order", async (sql) => {
  const person = { phone: anyPhone() };
  const said = ["one", "two", "three", "four"];
  for (const [n, content] of said.entries()) {
    await tell(sql, account_id, { kind: "message", at: at(-n % 2), person, content });
  }
  const [{ id }] = await conversationsOf(sql, (await contactsOf(sql, company)).at(-1)!.id);
  assert.deepEqual(await contentsIn(sql, id), said);
});

test("an inbound message opens a pending conversation, but does not reopen a closed conversation", async (sql) => {
  const [{ phone }] = await sql`select phone from contacts where id = ${company.contact_id}`;
  const told = () => ({ kind: "message", at: at(0), person: { phone } });
  await sql`update conversations set status = 'pending' where id = ${company.conversation_id}`;
  await tell(sql, account_id, told());
  const statuses = async () =>
    (await conversationsOf(sql, company.contact_id)).map(({ status }) => status);
  assert.deepEqual(await statuses(), ["open"]);
  await sql`update conversations set status = 'closed' where id = ${company.conversation_id}`;
  await tell(sql, account_id, told());
  await tell(sql, account_id, told());
  assert.deepEqual(await statuses(), ["closed", "open"]);
});

test("an inbound message that is several days old opens a conversation, but no window", async (sql) => {
  const person = { phone: anyPhone() };
  await tell(sql, account_id, { kind: "message", at: at(-6 * 86400), person });
  const [conversation] = await conversationsOf(sql, (await contactsOf(sql, company)).at(-1)!.id);
  assert.equal(conversation.status, "open");
  assert.ok(conversation.window_expires_at < new Date());
});

test("a message with a future time, or without a time, counts as sent now", async (sql) => {
  for (const time of ["2100-01-01T00:00:00Z", null]) {
    const id = anyMessageId();
    await tell(sql, account_id, { kind: "message", at: time, person: { phone: anyPhone() }, id });
    const [{ is_now }] = await sql`
      select sent_at = now() as is_now from messages where whatsapp_message_id = ${id}
    `;
    assert.equal(is_now, true, String(time));
  }
});

test("a message is linked to the message that it replies to, even if that message receives its id later", async (sql) => {
  const person = { phone: anyPhone() };
  const [sent, later, unknown] = [anyMessageId(), anyMessageId(), anyMessageId()];
  const sentId = await addMessage(sql, company, { whatsapp_message_id: sent });
  const [{ id: laterId }] = await sql`
    insert into messages (company_id, conversation_id, direction, content, outcome)
    values (${company_id}, ${company.conversation_id}, 'outbound', 'Hello', 'pending') returning id
  `;
  const answers: string[] = [];
  for (const target of [sent, later, unknown]) {
    const id = anyMessageId();
    await tell(sql, account_id, { kind: "message", at: at(0), person, id, answers: target });
    answers.push(id);
  }
  await sql`update messages set whatsapp_message_id = ${later} where id = ${laterId}`;
  const links = [];
  for (const id of answers) {
    const { reply_to_id, reply_to_whatsapp_id } = await messageOf(sql, id);
    links.push([reply_to_id, reply_to_whatsapp_id]);
  }
  assert.deepEqual(links, [[sentId, sent], [laterId, later], [null, unknown]]);
});

test("no contact is created for a person with an invalid phone number, or for a person whose phone number and id are missing", async (sql) => {
  const before = await contactsOf(sql, company);
  for (const person of [{}, { phone: "+0" }, { phone: "+12" }, { name: "Ana" }]) {
    const told = { kind: "message", at: at(0), person };
    assert.equal(await tell(sql, account_id, told), "unroutable", JSON.stringify(person));
  }
  assert.deepEqual(await contactsOf(sql, company), before);
});

for (
  const [name, person] of [
    ["a phone number", () => ({ phone: anyPhone() })],
    ["an id", () => ({ user_id: anyUserId() })],
    ["a phone number and an id", () => ({ phone: anyPhone(), user_id: anyUserId(), name: "Luz" })],
  ] as const
) {
  Deno.test(`many simultaneous first messages from one person with ${name} create one contact and one conversation`, async () => {
    const own = await newCompany();
    const told = { kind: "message", at: at(0), person: person() };
    const results = await atOnce(8, (sql) => tell(sql, own.account_id, told));
    assert.deepEqual(results, Array(8).fill("done"));
    await asSuperuser(async (sql) => {
      const contacts = await contactsOf(sql, own);
      assert.equal(contacts.length, 2);
      const [conversation, ...others] = await conversationsOf(sql, contacts[1].id);
      assert.deepEqual(others, []);
      assert.equal((await contentsIn(sql, conversation.id)).length, 8);
      const { count } = await sql`select from deleted_rows where company_id = ${own.id}`;
      assert.equal(count, 0);
    });
  });
}

Deno.test("a message that is delivered twice simultaneously is stored once", async () => {
  const own = await newCompany();
  const told = { kind: "message", at: at(0), person: { phone: anyPhone() }, id: anyMessageId() };
  await overlapping(
    (sql) => tell(sql, own.account_id, told),
    (sql) => tell(sql, own.account_id, told),
  );
  const [{ count }] = await committed((sql) =>
    sql`select count(*)::int from messages where whatsapp_message_id = ${told.id}`
  );
  assert.equal(count, 1);
});

/** A company, its contact as the author of a message, and the closing of the conversation. */
async function writingTo() {
  const own = await newCompany();
  const [{ phone }] = await committed((sql) =>
    sql`select phone from contacts where id = ${own.contact_id}`
  );
  const writes = (sql: Sql) =>
    tell(sql, own.account_id, { kind: "message", at: at(0), person: { phone } });
  const closes = (sql: Sql) =>
    sql`update conversations set status = 'closed' where id = ${own.conversation_id}`;
  /** The status and the number of messages of each conversation. */
  const seen = () =>
    committed(async (sql) => {
      const rows = await sql`
        select status, (select count(*)::int from messages where conversation_id = conversations.id)
        from conversations where contact_id = ${own.contact_id} order by created_at
      `;
      return rows.map(({ status, count }) => [status, count]);
    });
  return { ...own, writes, closes, seen };
}

Deno.test("a message that arrives while the conversation is being closed goes into a new conversation", async () => {
  const { writes, closes, seen } = await writingTo();
  await overlapping(closes, writes);
  assert.deepEqual(await seen(), [["closed", 0], ["open", 1]]);
});

Deno.test("a conversation that is closed while a message arrives contains the message", async () => {
  const { writes, closes, seen } = await writingTo();
  await overlapping(writes, closes);
  assert.deepEqual(await seen(), [["closed", 1]]);
});

Deno.test("a message that waits for the end of the window does not lock the conversation first", async () => {
  const { id, contact_id, account_id, writes, seen } = await writingTo();
  await committed(writes);
  await overlapping(
    (sql) => sql`select from contact_windows where contact_id = ${contact_id} for no key update`,
    writes,
    {
      afterwards: (sql) =>
        sql`select app.close_window(${id}, ${contact_id}, ${account_id}, ${at(60)}::timestamptz)`,
    },
  );
  assert.deepEqual(await seen(), [["open", 2]]);
});

Deno.test("messages, sends, settlements and closings of one conversation at the same time cause no deadlock", async () => {
  const { id, contact_id, account_id, keys, writes, closes, seen } = await writingTo();
  const { phone, claimed } = await committed(async (sql) => {
    await sql`update api_keys set last_used_at = now() where company_id = ${id}`;
    const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
    const claimed = Array.from({ length: 6 }, () => crypto.randomUUID());
    for (const claim_id of claimed) await claim(sql, keys.messaging, { phone, claim_id });
    return { phone, claimed };
  });
  const works: ((sql: Sql) => Promise<unknown>)[] = claimed.flatMap((claim_id) => [
    writes,
    closes,
    (sql) => sql`select app.close_window(${id}, ${contact_id}, ${account_id}, now())`,
    (sql) => settle(sql, claim_id, { ...SENT, whatsapp_message_id: anyMessageId() }),
    (sql) => claim(sql, keys.messaging, { phone }),
  ]);
  await atOnce(works.length, async (sql, n) => {
    await works[n](sql);
  });
  const messages = (await seen()).reduce((sum, [, count]) => sum + count, 0);
  assert.equal(messages, 18);
});
