// Reactions, edits and revocations change the message to which they belong, in whatever order the
// events arrive.

import assert from "node:assert/strict";
import { rolledBack, type Sql } from "../support/acting_as.ts";
import { addMessage, anyPhone, connectAccount, newCompany } from "../support/company.ts";
import { asSuperuser } from "../support/test_stack.ts";
import { anyMessageId, anyUserId, at, contactsOf, tell, type Told } from "./inbound.ts";
import { inEachOrder, orders } from "./orders.ts";

const company = await newCompany();
const { id: company_id, account_id, conversation_id } = company;
const [{ phone }] = await asSuperuser((sql) =>
  sql`select phone from contacts where id = ${company.contact_id}`
);
const person = { phone };

const SENT = "wamid.sent";
const WRITTEN = "wamid.written";

const written: Told = { kind: "message", at: at(0), id: WRITTEN, person, content: "first" };

async function messageOf(sql: Sql, id: string) {
  const [message] = await sql`
    select * from messages where company_id = ${company_id} and whatsapp_message_id = ${id}
  `;
  return message;
}

/** Adds a message from the company and a message from the contact. */
async function addBoth(sql: Sql) {
  await sql`
    insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
    values (${company_id}, ${conversation_id}, 'outbound', 'Hello', 'accepted', ${SENT})
  `;
  await tell(sql, account_id, written);
}

const reaction = (emoji: string | null, seconds: number, target = SENT): Told => ({
  kind: "reaction",
  at: at(seconds),
  target,
  emoji,
  person,
});

const edit = (content: string, seconds: number, target = WRITTEN): Told => ({
  kind: "edit",
  at: at(seconds),
  target,
  content,
  person,
});

const revoke = (seconds: number, target = WRITTEN): Told => ({
  kind: "revoke",
  at: at(seconds),
  target,
  person,
});

Deno.test("a message shows its newest reaction in whatever order reactions arrive, and a removal wins over a reaction of the same second", async () => {
  const ends: [Told[], Record<string, unknown>][] = [
    [[reaction("👍", 10), reaction("❤️", 20)], { emoji: "❤️", at: at(20) }],
    [[reaction("👍", 10), reaction(null, 20)], { emoji: null, at: at(20) }],
    [[reaction("👍", 10), reaction(null, 10)], { emoji: null, at: at(10) }],
    [[reaction("👍", 10), reaction(null, 20), reaction("🎉", 30)], { emoji: "🎉", at: at(30) }],
  ];
  for (const [told, end] of ends) {
    await inEachOrder(orders(told), async (sql, order) => {
      await addBoth(sql);
      const before = await messageOf(sql, WRITTEN);
      const conversation = await sql`select * from conversations where id = ${conversation_id}`;
      for (const item of [...order, order[0]]) {
        assert.equal(await tell(sql, account_id, item), "done");
      }
      const shown = { ...end, at: String(end.at).replace("Z", "+00:00") };
      assert.deepEqual((await messageOf(sql, SENT)).reaction, shown, JSON.stringify(order));
      assert.deepEqual(await messageOf(sql, WRITTEN), before);
      const [{ count }] = await sql`
        select count(*)::int from messages where company_id = ${company_id}
      `;
      assert.equal(count, 2);
      const after = await sql`select * from conversations where id = ${conversation_id}`;
      assert.deepEqual(
        [...after],
        [...conversation],
        "the conversation and its window are unchanged",
      );
    });
  }
});

Deno.test("a reaction from an unknown user id is stored, but a reaction from another contact or to another account is ignored", async () => {
  await rolledBack(async (sql) => {
    await addBoth(sql);
    assert.equal(await tell(sql, account_id, reaction("👍", 10, WRITTEN)), "done");
    assert.equal((await messageOf(sql, WRITTEN)).reaction.emoji, "👍");
    const byId = { ...reaction("❤️", 20), person: { user_id: anyUserId() } };
    const before = await contactsOf(sql, company);
    assert.equal(await tell(sql, account_id, byId), "done");
    assert.deepEqual(
      await contactsOf(sql, company),
      before,
      "a reaction does not create a contact",
    );

    const stranger = { phone: anyPhone() };
    await tell(sql, account_id, { kind: "message", at: at(0), person: stranger });
    const theirs = { ...reaction("🎉", 30), person: stranger };
    assert.equal(await tell(sql, account_id, theirs), "ignored");
    const second = await connectAccount(sql, company_id);
    assert.equal(await tell(sql, second.id, reaction("🎉", 40)), "ignored", "on another account");
    assert.equal((await messageOf(sql, SENT)).reaction.emoji, "❤️");
  });
});

Deno.test("in whatever order edits and revocations arrive, the message shows the newest edit and the revocation, and keeps its original text", async () => {
  const told = [edit("second", 10), edit("third", 20), revoke(30)];
  const ends = new Set<string>();
  await inEachOrder(orders(told), async (sql, order) => {
    await addBoth(sql);
    const [conversation] = await sql`select * from conversations where id = ${conversation_id}`;
    for (const item of [...order, order[0]]) {
      assert.equal(await tell(sql, account_id, item), "done");
    }
    const message = await messageOf(sql, WRITTEN);
    const { content, original_content, edited_at, revoked_at } = message;
    ends.add(JSON.stringify({ content, original_content, edited_at, revoked_at }));
    const [after] = await sql`select * from conversations where id = ${conversation_id}`;
    assert.deepEqual({ ...after }, { ...conversation });
  });
  assert.deepEqual([...ends].map((end) => JSON.parse(end)), [{
    content: "third",
    original_content: "first",
    edited_at: new Date(at(20)).toISOString(),
    revoked_at: new Date(at(30)).toISOString(),
  }]);
});

Deno.test("a person cannot edit or revoke messages from another person or from the company", async () => {
  await rolledBack(async (sql) => {
    await addBoth(sql);
    const stranger = { phone: anyPhone() };
    await tell(sql, account_id, { kind: "message", at: at(0), person: stranger });
    const second = await connectAccount(sql, company_id);
    const before = [await messageOf(sql, SENT), await messageOf(sql, WRITTEN)];
    for (const told of [edit("x", 10), revoke(10)]) {
      for (
        const [account, item] of [
          [account_id, { ...told, target: SENT }],
          [account_id, { ...told, person: stranger }],
          [account_id, { ...told, person: { phone: anyPhone() } }],
          [second.id, told],
        ] as [string, Told][]
      ) {
        assert.equal(await tell(sql, account, item), "ignored", JSON.stringify(item));
      }
    }
    assert.deepEqual([await messageOf(sql, SENT), await messageOf(sql, WRITTEN)], before);
  });
});

Deno.test("an event about another company's message leaves that message unchanged and waits", async () => {
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const id = anyMessageId();
    const message = await addMessage(sql, other, { whatsapp_message_id: id });
    const row = async () => [...await sql`select * from messages where id = ${message}`];
    const before = await row();
    for (const told of [edit("x", 10, id), revoke(10, id), reaction("👍", 10, id)]) {
      assert.equal(await tell(sql, account_id, told), "waiting");
    }
    assert.deepEqual(await row(), before);
  });
});

Deno.test("an event that arrives before its message waits, and is applied when the message arrives", async () => {
  const told = [written, edit("second", 10), revoke(30), reaction("👍", 40, WRITTEN)];
  const ends = new Set<string>();
  await inEachOrder(orders(told), async (sql, order) => {
    for (const item of [...order, ...order]) await tell(sql, account_id, item);
    const { content, original_content, edited_at, revoked_at, reaction } = await messageOf(
      sql,
      WRITTEN,
    );
    ends.add(JSON.stringify({ content, original_content, edited_at, revoked_at, reaction }));
    const { count } = await sql`select from waiting_facts where company_id = ${company_id}`;
    assert.equal(count, 0);
  });
  assert.equal(ends.size, 1, [...ends].join("\n"));
  assert.match([...ends][0], /"second".*"first".*👍/);
});
