// Tests the channel's events about one person in several simultaneous transactions, while the
// company sends messages to that person.

import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { asSuperuser } from "../support/test_stack.ts";
import { atOnce, committed, overlapping } from "./connections.ts";
import { anyUserId, at, contactsOf, tell, type Told } from "./inbound.ts";
import { claim } from "./sends.ts";

/**
 * A company whose API key has just been used, so that concurrent claims do not wait to record the
 * key's use.
 */
async function newSender() {
  const company = await newCompany();
  await committed((sql) =>
    sql`update api_keys set last_used_at = now() where company_id = ${company.id}`
  );
  return company;
}

const message = (person: Told["person"]): Told => ({ kind: "message", at: at(0), person });

Deno.test("simultaneous sends and messages, by phone number, by id or by both values, create one contact with one conversation", async () => {
  const own = await newSender();
  const [phone, user_id] = [anyPhone(), anyUserId()];
  const persons = [{ phone }, { user_id }, { phone, user_id }];
  await atOnce(12, async (sql, n) => {
    if (n % 4 === 3) {
      assert.equal((await claim(sql, own.keys.messaging, { phone })).result, "claimed");
    } else {
      // The database applies the events of one company one after another, but sends run at the same
      // time.
      await sql`select pg_advisory_xact_lock(hashtextextended(${own.id}, 14))`;
      assert.equal(await tell(sql, own.account_id, message(persons[n % 4])), "done");
    }
  });
  // Whatever the order was, this message has both the phone number and the id, which shows that
  // both belong to one person.
  await committed((sql) => tell(sql, own.account_id, message({ phone, user_id })));
  await asSuperuser(async (sql) => {
    const [, contact, ...others] = await contactsOf(sql, own);
    assert.deepEqual([contact.phone, contact.has_identity, others.length], [phone, true, 0]);
    const conversations = await sql`
      select (select count(*)::int from messages where conversation_id = conversations.id) as messages
      from conversations where contact_id = ${contact.id}
    `;
    assert.deepEqual([...conversations], [{ messages: 13 }]);
  });
});

Deno.test("a send that waits for a merge goes to the surviving contact", async () => {
  const own = await newSender();
  const [one, another] = [anyPhone(), anyPhone()];
  const ids = await committed(async (sql) => {
    const rows = [{ company_id: own.id, phone: one }, { company_id: own.id, phone: another }];
    return await sql`insert into contacts ${sql(rows)} returning id`;
  });
  const [, claimed] = await overlapping(
    (sql) => sql`select app.merge_contacts(${own.id}, ${ids[0].id}, ${ids[1].id})`,
    (sql) => claim(sql, own.keys.messaging, { phone: another }),
  );
  const [{ contact_id }] = await committed((sql) =>
    sql`select contact_id from conversations where id = ${claimed.conversation_id}`
  );
  assert.equal(contact_id, ids[0].id);
});

Deno.test("a merge that waits for a send moves the send's conversation to the survivor", async () => {
  const own = await newSender();
  const [phone, user_id] = [anyPhone(), anyUserId()];
  await committed((sql) => tell(sql, own.account_id, message({ user_id })));
  const [claimed] = await overlapping(
    (sql) => claim(sql, own.keys.messaging, { phone }),
    (sql) => tell(sql, own.account_id, message({ phone, user_id })),
  );
  await asSuperuser(async (sql) => {
    const [, contact, ...others] = await contactsOf(sql, own);
    assert.equal(others.length, 0);
    const [conversation, ...more] = await sql`
      select id from conversations where contact_id = ${contact.id}
    `;
    assert.equal(more.length, 0);
    const [{ conversation_id }] = await sql`
      select conversation_id from messages where id = ${claimed.message_id}
    `;
    assert.equal(conversation_id, conversation.id);
  });
});

Deno.test("if the transaction of a person's first message is rolled back, a simultaneous second message creates the contact", async () => {
  const own = await newCompany();
  for (const person of [{ phone: anyPhone() }, { user_id: anyUserId() }]) {
    await overlapping(
      (sql) => tell(sql, own.account_id, message(person)),
      (sql) => tell(sql, own.account_id, message(person)),
      { undone: true },
    );
  }
  const [{ count }] = await committed((sql) =>
    sql`select count(*)::int from messages where company_id = ${own.id}`
  );
  assert.equal(count, 2);
});
