// Tests the channel's events about one person in several simultaneous transactions, while the
// company sends messages to that person.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { asSuperuser } from "../support/test_stack.ts";
import { atOnce, committed, overlapping } from "./connections.ts";
import { anyUserId, at, contactsOf, moved, phoneOf, tell, type Told } from "./inbound.ts";
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
      // The database applies the events of one company one after another, but sends can run at the
      // same time as an event.
      await sql`select pg_advisory_xact_lock(hashtextextended(${own.id}, 14))`;
      assert.equal(await tell(sql, own.account_id, message(persons[n % 4])), "done");
    }
  });
  // This message shows that the phone number and the id belong to one person, whatever the order of
  // the earlier transactions was.
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

Deno.test("a message that gives a contact another phone number causes no deadlock with a write that adds one contact and changes the other", async () => {
  const [user_id, other_phone] = [anyUserId(), anyPhone()];
  for (const way of ["by a merge", "as an additional number"]) {
    const own = await newSender();
    const phone = await committed((sql) => phoneOf(sql, own.contact_id));
    const isMerge = way === "by a merge";
    await committed((sql) =>
      tell(sql, own.account_id, message(isMerge ? { user_id } : { phone, user_id }))
    );
    const put: (phone: string) => Work = (phone) => async (sql) => {
      await actAs(sql, "api_client", { key_hash: await hashKey(own.keys.write), scope: "write" });
      const item = sql.json({ phone, name: way });
      const [{ written }] = await sql`
        select write_contacts(array[${item}], on_conflict => 'update', atomic => true) as written
      `;
      return written.results[0].status;
    };
    const statuses: unknown[] = [];
    const [, told] = await overlapping(
      async (sql) => statuses.push(await put(anyPhone())(sql)),
      (sql) =>
        tell(sql, own.account_id, message({ phone: isMerge ? phone : other_phone, user_id })),
      { afterwards: async (sql) => statuses.push(await put(phone!)(sql)) },
    );
    assert.deepEqual([way, told, ...statuses], [way, "done", 201, 200]);
  }
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

Deno.test("a phone number that becomes a contact's additional number does not also go to a contact that a key adds at the same moment", async () => {
  const ways: Record<string, (sql: Sql, own: Company, next: string) => Promise<Work>> = {
    "by a merge": async (sql, own, next) => {
      const [{ id }] = await sql`
        insert into contacts (company_id, phone) values (${own.id}, ${next}) returning id
      `;
      return (sql) => sql`select app.merge_contacts(${own.id}, ${own.contact_id}, ${id})`;
    },
    "by a report of the channel": async (sql, own, next) => {
      const user_id = anyUserId();
      const person = { phone: await phoneOf(sql, own.contact_id), user_id };
      await tell(sql, own.account_id, message(person));
      // The company stores another phone number, which remains the contact's phone number. With
      // the second message, the former number becomes an additional number.
      await sql`update contacts set phone = ${anyPhone()} where id = ${own.contact_id}`;
      await tell(sql, own.account_id, message(person));
      const report = { ...moved(person.phone!, next, 60, null), person };
      return (sql) => tell(sql, own.account_id, report);
    },
    "by a report and a merge": async (sql, own, next) => {
      const [former, user_id] = [(await phoneOf(sql, own.contact_id))!, anyUserId()];
      await tell(sql, own.account_id, message({ phone: former, user_id }));
      await sql`update contacts set phone = ${anyPhone()} where id = ${own.contact_id}`;
      // No contact has the former number now, so the report first adds another contact.
      return (sql) => tell(sql, own.account_id, moved(former, next, 60, user_id));
    },
  };
  for (const [way, prepare] of Object.entries(ways)) {
    for (const isAddedFirst of [false, true]) {
      const [own, next] = [await newSender(), anyPhone()];
      const becomes = await committed((sql) => prepare(sql, own, next));
      const adds: Work = async (sql) => {
        await actAs(sql, "api_client", { key_hash: await hashKey(own.keys.write), scope: "write" });
        await sql`select write_contacts(array[${sql.json({ phone: next })}], atomic => true)`;
      };
      await (isAddedFirst ? overlapping(adds, becomes) : overlapping(becomes, adds));
      const owners = await committed((sql) =>
        sql`
          select id from contacts where company_id = ${own.id} and phone = ${next}
          union all
          select contact_id from contact_former_phones
          where company_id = ${own.id} and phone = ${next} and until = 'infinity'
        `
      );
      assert.equal(owners.length, 1, `${way}, ${isAddedFirst ? "added first" : "added later"}`);
    }
  }
});
