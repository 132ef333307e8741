// A person who changes their phone number remains one contact, in whatever order the events arrive.

import assert from "node:assert/strict";
import { rolledBack, type Work } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import {
  anyMessageId,
  anyUserId,
  at,
  contactsOf,
  contentsIn,
  identityEventsOf,
  moved,
  phoneOf,
  tell,
  type Told,
  userIdsOf,
} from "./inbound.ts";
import { inEachOrder, orders } from "./orders.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, account_id, contact_id, conversation_id } = company;

test("a person who changes phone numbers remains one contact, and the former number is stored with the time of the change", async (sql) => {
  const [former, next] = [(await phoneOf(sql, contact_id))!, anyPhone()];
  const user_id = anyUserId();
  const notice = moved(former, next, 60, user_id);
  for (let times = 0; times < 2; times++) {
    assert.equal(await tell(sql, account_id, notice), "done");
    assert.equal(await phoneOf(sql, contact_id), next);
    assert.deepEqual(await userIdsOf(sql, contact_id), [user_id]);
    assert.deepEqual(await identityEventsOf(sql, contact_id), [
      { kind: "phone_changed", was: former, becomes: next },
    ]);
    const formers = await sql`
      select phone, until from contact_former_phones where contact_id = ${contact_id}
    `;
    assert.deepEqual([...formers], [{ phone: former, until: new Date(at(60)) }]);
    assert.equal((await contactsOf(sql, company)).length, 1);
  }
  // The same notice arrives again after someone has corrected the phone number by hand.
  const corrected = anyPhone();
  await sql`update contacts set phone = ${corrected} where id = ${contact_id}`;
  await tell(sql, account_id, notice);
  assert.equal(await phoneOf(sql, contact_id), corrected);
  const formers = await sql`
    select phone from contact_former_phones where contact_id = ${contact_id}
  `;
  assert.deepEqual([...formers], [{ phone: former }]);
});

test("the notice about a new phone number is added to the newest conversation, whose times and window do not change", async (sql) => {
  const former = (await phoneOf(sql, contact_id))!;
  const notice = { ...moved(former, anyPhone(), 60), content: "Ada has a new number" };
  await tell(sql, account_id, notice);
  const [message, ...others] = await sql`select * from messages where company_id = ${company_id}`;
  assert.deepEqual(
    [message.conversation_id, message.type, message.direction, message.content, others.length],
    [conversation_id, "system", "inbound", "Ada has a new number", 0],
  );
  const [conversation] = await sql`
    select last_message_at, window_expires_at from conversations where id = ${conversation_id}
  `;
  assert.deepEqual({ ...conversation }, { last_message_at: null, window_expires_at: null });

  // The notice is also added to a closed conversation. A contact without conversations receives a
  // new conversation.
  await sql`
    insert into conversations (company_id, contact_id, messaging_account_id, status, created_at)
    values (${company_id}, ${contact_id}, ${account_id}, 'closed', now() + interval '1 hour')
  `;
  await tell(sql, account_id, moved((await phoneOf(sql, contact_id))!, anyPhone(), 70));
  assert.equal((await contentsIn(sql, conversation_id)).length, 2);
  await sql`delete from conversations where contact_id = ${contact_id} and status = 'closed'`;
  await sql`update conversations set status = 'closed' where id = ${conversation_id}`;
  await tell(sql, account_id, moved((await phoneOf(sql, contact_id))!, anyPhone(), 75));
  assert.equal((await contentsIn(sql, conversation_id)).length, 3);
  const stranger = anyPhone();
  await tell(sql, account_id, moved(anyPhone(), stranger, 80));
  const [opened] = await sql`
    select conversations.* from conversations join contacts on contacts.id = contact_id
    where phone = ${stranger}
  `;
  assert.deepEqual([opened.status, opened.last_message_at], ["open", null]);
});

Deno.test("if another contact already has the new phone number, the change is recorded but not applied", async () => {
  const all = orders(["notice", "notice again", "message"]);
  const ends = new Set<string>();
  const notices = { kind: "phone_taken" };
  await inEachOrder(all, async (sql, order) => {
    const [former, user_id] = [(await phoneOf(sql, contact_id))!, "BR.new"];
    const taken = "+15550177";
    const [{ id: other }] = await sql`
      insert into contacts (company_id, phone, name) values (${company_id}, ${taken}, 'Pedro') returning id
    `;
    const notice = moved(former, taken, 60, user_id);
    for (const what of order) {
      const message = { kind: "message", at: at(90), person: { phone: taken, user_id } };
      await tell(sql, account_id, what === "message" ? message : notice);
    }
    assert.equal(await phoneOf(sql, contact_id), former);
    assert.equal(await phoneOf(sql, other), taken);
    const events = await identityEventsOf(sql, contact_id);
    assert.deepEqual(events, [{ ...notices, was: former, becomes: taken }]);
    ends.add(JSON.stringify([await userIdsOf(sql, contact_id), await userIdsOf(sql, other)]));
  });
  assert.deepEqual(
    [...ends],
    ['[[],["BR.new"]]'],
    "the person's id belongs to the contact that already has the phone number",
  );
});

Deno.test("messages before and after a change of the phone number belong to one person, in whatever order the events arrive", async () => {
  const [former, next, last] = ["+15550170", "+15550171", "+15550172"];
  const [oldId, newId] = ["BR.old", "BR.new"];
  const before: Told = {
    kind: "message",
    id: anyMessageId(),
    at: at(10),
    person: { phone: former, user_id: oldId, name: "Ana" },
    content: "before",
  };
  const after: Told = {
    kind: "message",
    id: anyMessageId(),
    at: at(90),
    person: { phone: next, user_id: newId, name: "Ana S." },
    content: "after",
  };
  const again = moved(next, last, 120);
  const notices = [
    [before, moved(former, next, 60, newId), after],
    [before, moved(former, next, 60), after],
    [{ ...before, person: { phone: former } }, moved(former, next, 60), after, again],
  ];
  for (const told of notices) {
    const ends = new Set<string>();
    const isTwice = told.length === 4;
    await inEachOrder(orders(told), async (sql, order) => {
      for (const item of [...order, order[0]]) await tell(sql, account_id, item);
      const [, made, ...others] = await contactsOf(sql, company);
      assert.equal(others.length, 0, order.map(({ kind, at }) => `${kind} ${at}`).join());
      const formers = await sql`
        select phone, until from contact_former_phones where contact_id = ${made.id} order by until
      `;
      const conversations = await sql`select from conversations where contact_id = ${made.id}`;
      const [{ messages }] = await sql`
        select count(*)::int as messages from messages
        where company_id = ${company_id}
      `;
      const { name, has_identity } = made;
      ends.add(JSON.stringify([
        { phone: made.phone, name, has_identity, conversations: conversations.length, messages },
        formers.map(({ phone, until }) => [phone, until]),
        await userIdsOf(sql, made.id),
      ]));
    });
    assert.equal(ends.size, 1, [...ends].join("\n"));
    assert.match([...ends][0], new RegExp(`"phone":"\\${isTwice ? last : next}"`));
  }
});

test("a phone number that the company set by hand is kept, and messages from the person's new number belong to the same contact", async (sql) => {
  const [landline, former, next, user_id] = [
    (await phoneOf(sql, contact_id))!,
    anyPhone(),
    anyPhone(),
    anyUserId(),
  ];
  await sql`insert into contact_identities ${sql({ company_id, contact_id, user_id })}`;
  const notice = { ...moved(former, next, 60), person: { phone: former, user_id } };
  await tell(sql, account_id, notice);
  assert.equal(await phoneOf(sql, contact_id), landline);
  await tell(sql, account_id, { kind: "message", at: at(90), person: { phone: next } });
  assert.equal((await contactsOf(sql, company)).length, 1);
});
