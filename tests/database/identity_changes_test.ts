// A person has a new phone or a new id at the channel: the contact stays one, and so it is in every order of events.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { anyMessageId, anyUserId, at, contactsOf, contentsIn, tell, type Told } from "./inbound.ts";
import { inEachOrder, orders } from "./orders.ts";

type Sql = postgres.TransactionSql;

const company = await newCompany();
const { id: company_id, account_id, contact_id, conversation_id } = company;

async function phone(sql: Sql, id = contact_id): Promise<string | null> {
  return (await sql`select phone from contacts where id = ${id}`)[0].phone;
}

async function eventsOf(sql: Sql, id = contact_id) {
  return [
    ...await sql`
      select kind, was, becomes from contact_identity_events where contact_id = ${id} order by happened_at, kind
    `,
  ];
}

async function userIds(sql: Sql, id = contact_id): Promise<string[]> {
  const rows = await sql`
    select user_id from contact_identities where contact_id = ${id} order by user_id
  `;
  return rows.map(({ user_id }) => user_id);
}

/** The notice that a person has a new phone, and perhaps a new id. */
function moved(from: string, to: string, seconds: number, user_id: string | null = null): Told {
  return {
    kind: "system",
    at: at(seconds),
    id: anyMessageId(),
    person: { phone: from },
    change: { phone: to, user_id },
  };
}

Deno.test("a person who changes the phone stays one contact, and the former phone is theirs until then", async () => {
  await rolledBack(async (sql) => {
    const [former, next] = [(await phone(sql))!, anyPhone()];
    const user_id = anyUserId();
    const notice = moved(former, next, 60, user_id);
    for (let times = 0; times < 2; times++) {
      assert.equal(await tell(sql, account_id, notice), "done");
      assert.equal(await phone(sql), next);
      assert.deepEqual(await userIds(sql), [user_id]);
      assert.deepEqual(await eventsOf(sql), [
        { kind: "phone_changed", was: former, becomes: next },
      ]);
      const formers = await sql`
        select phone, until from contact_former_phones where contact_id = ${contact_id}
      `;
      assert.deepEqual([...formers], [{ phone: former, until: new Date(at(60)) }]);
      assert.equal((await contactsOf(sql, company)).length, 1);
    }
    // Played again after somebody has corrected the phone by hand.
    const corrected = anyPhone();
    await sql`update contacts set phone = ${corrected} where id = ${contact_id}`;
    await tell(sql, account_id, notice);
    assert.equal(await phone(sql), corrected);
  });
});

Deno.test("the notice is a message of the newest conversation, and moves neither the conversation nor the window", async () => {
  await rolledBack(async (sql) => {
    const former = (await phone(sql))!;
    const notice = { ...moved(former, anyPhone(), 60), content: "Ada has a new number" };
    await tell(sql, account_id, notice);
    const [message, ...others] = await sql`
      select * from messages where company_id = ${company_id}
    `;
    assert.deepEqual(
      [message.conversation_id, message.type, message.direction, message.content, others.length],
      [conversation_id, "system", "inbound", "Ada has a new number", 0],
    );
    const [conversation] = await sql`
      select last_message_at, window_expires_at from conversations where id = ${conversation_id}
    `;
    assert.deepEqual({ ...conversation }, { last_message_at: null, window_expires_at: null });

    // A closed conversation is good enough; without any, one is opened.
    await sql`update conversations set status = 'closed' where id = ${conversation_id}`;
    await tell(sql, account_id, moved((await phone(sql))!, anyPhone(), 70));
    assert.equal((await contentsIn(sql, conversation_id)).length, 2);
    const stranger = anyPhone();
    await tell(sql, account_id, moved(anyPhone(), stranger, 80));
    const [opened] = await sql`
      select conversations.* from conversations join contacts on contacts.id = contact_id
      where phone = ${stranger}
    `;
    assert.deepEqual([opened.status, opened.last_message_at], ["open", null]);
  });
});

Deno.test("a new phone that is another contact's already is only noted, in every order", async () => {
  const all = orders(["notice", "notice again", "message"]);
  const ends = new Set<string>();
  const notices = { kind: "phone_taken" };
  await inEachOrder(all, async (sql, order) => {
    const [former, user_id] = [(await phone(sql))!, "BR.new"];
    const taken = "+15550177";
    const [{ id: other }] = await sql`
      insert into contacts (company_id, phone, name) values (${company_id}, ${taken}, 'Pedro') returning id
    `;
    const notice = moved(former, taken, 60, user_id);
    for (const what of order) {
      const message = { kind: "message", at: at(90), person: { phone: taken, user_id } };
      await tell(sql, account_id, what === "message" ? message : notice);
    }
    assert.equal(await phone(sql), former);
    assert.equal(await phone(sql, other), taken);
    const events = await eventsOf(sql);
    assert.deepEqual(events, [{ ...notices, was: former, becomes: taken }]);
    ends.add(JSON.stringify([await userIds(sql), await userIds(sql, other)]));
  });
  assert.deepEqual([...ends], ['[[],["BR.new"]]'], "the person is who has the phone on file");
});

Deno.test("messages before and after a change of the phone are one person's in every order", async () => {
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
  for (
    const told of [
      [before, moved(former, next, 60, newId), after],
      [before, moved(former, next, 60), after],
      [{ ...before, person: { phone: former } }, moved(former, next, 60), after, again],
    ]
  ) {
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
        await userIds(sql, made.id),
      ]));
    });
    assert.equal(ends.size, 1, [...ends].join("\n"));
    assert.match([...ends][0], new RegExp(`"phone":"\\${isTwice ? last : next}"`));
  }
});

Deno.test("a phone that the company keeps in place of the person's stays on file, and the new one finds the contact", async () => {
  await rolledBack(async (sql) => {
    const [landline, former, next, user_id] = [
      (await phone(sql))!,
      anyPhone(),
      anyPhone(),
      anyUserId(),
    ];
    await sql`insert into contact_identities ${sql({ company_id, contact_id, user_id })}`;
    const notice = { ...moved(former, next, 60), person: { phone: former, user_id } };
    await tell(sql, account_id, notice);
    assert.equal(await phone(sql), landline);
    await tell(sql, account_id, { kind: "message", at: at(90), person: { phone: next } });
    assert.equal((await contactsOf(sql, company)).length, 1);
  });
});

Deno.test("a further id is the same contact's, whichever of both, or the phone, is known", async () => {
  const [was, becomes] = ["BR.was", "BR.becomes"];
  const known: [string, { user_id?: string; phone?: string }[]][] = [
    ["the id before", [{ user_id: was }]],
    ["the phone", [{ phone: "+15550180" }]],
    ["the phone and the id before", [{ phone: "+15550180", user_id: was }]],
    ["the new id", [{ user_id: becomes }]],
    ["both ids, as two contacts", [{ user_id: becomes }, { user_id: was }]],
    ["the phone with the new id, and the id before", [
      { user_id: was },
      { phone: "+15550180", user_id: becomes },
    ]],
  ];
  for (const [name, persons] of known) {
    for (const withPhone of persons.some(({ phone }) => phone) ? [true, false] : [false]) {
      // Without the phone, nothing tells that a contact with nothing but a phone is meant.
      if (!withPhone && persons.every(({ user_id }) => !user_id)) continue;
      const phone = withPhone ? "+15550180" : null;
      const change: Told = {
        kind: "identity",
        at: at(60),
        person: { phone, user_id: was },
        change: { user_id: becomes },
      };
      const messages = persons.map((person, n): Told => ({ kind: "message", at: at(n), person }));
      await inEachOrder(orders([...messages, change]), async (sql, order) => {
        for (const item of [...order, order[0]]) await tell(sql, account_id, item);
        const [, made, ...others] = await contactsOf(sql, company);
        assert.equal(others.length, 0, `${name}: ${order.map(({ kind }) => kind)}`);
        assert.deepEqual(await userIds(sql, made.id), [becomes, was], name);
        const changed = (await eventsOf(sql, made.id)).filter(({ kind }) => kind !== "merged");
        assert.deepEqual(changed, [{ kind: "user_id_changed", was, becomes }], name);
        for (const user_id of [was, becomes]) {
          await tell(sql, account_id, { kind: "message", at: at(99), person: { user_id } });
        }
        assert.equal((await contactsOf(sql, company)).length, 2);
        assert.deepEqual([...await sql`select from user_id_changes`], []);
      });
    }
  }
});

Deno.test("a change of an id that nobody knows makes no contact", async () => {
  await rolledBack(async (sql) => {
    const before = await contactsOf(sql, company);
    const change = { user_id: anyUserId() };
    const person = { user_id: anyUserId() };
    const told: Told = { kind: "identity", at: at(0), person, change };
    assert.equal(await tell(sql, account_id, told), "done");
    assert.equal(await tell(sql, account_id, told), "done");
    assert.equal(
      await tell(sql, account_id, { ...told, person: { phone: anyPhone() } }),
      "ignored",
    );
    assert.deepEqual(await contactsOf(sql, company), before);
  });
});

Deno.test("a number that was another person's stays that contact's on file, and the id is the new owner's as soon as that is told", async () => {
  const [oldId, newId, taken] = ["BR.old", "BR.new", "+15550177"];
  await rolledBack(async (sql) => {
    const [{ id: other }] = await sql`
      insert into contacts (company_id, phone, name) values (${company_id}, ${taken}, 'Pedro') returning id
    `;
    const former = (await phone(sql))!;
    await tell(sql, account_id, {
      kind: "message",
      at: at(0),
      person: { phone: former, user_id: oldId },
    });
    await tell(sql, account_id, moved(former, taken, 60, newId));
    const writes = (user_id?: string) =>
      tell(sql, account_id, { kind: "message", at: at(90), person: { phone: taken, user_id } });
    const spoken = async (id: string) => {
      const [{ count }] = await sql`
        select count(*)::int from messages join conversations on conversations.id = conversation_id
        where contact_id = ${id} and type = 'text'
      `;
      return count;
    };
    await writes(newId);
    assert.deepEqual([await spoken(contact_id), await spoken(other)], [1, 1]);
    await tell(sql, account_id, {
      kind: "identity",
      at: at(61),
      person: { user_id: oldId },
      change: { user_id: newId },
    });
    await writes(newId);
    assert.deepEqual([await spoken(contact_id), await spoken(other)], [2, 1]);
    assert.deepEqual([await phone(sql), await phone(sql, other)], [former, taken]);

    // Once somebody says that the two are one, that one has the new phone.
    await sql`select app.merge_contacts(${company_id}, ${contact_id}, ${other})`;
    assert.equal(await phone(sql), taken);
    const formers =
      await sql`select phone, until from contact_former_phones where contact_id = ${contact_id}`;
    assert.deepEqual([...formers], [{ phone: former, until: new Date(at(60)) }]);
    const kinds = (await eventsOf(sql)).map(({ kind }) => kind);
    assert.deepEqual(kinds.sort(), ["merged", "phone_changed", "user_id_changed"]);
  });
});

Deno.test("a send to the further phone of a merged contact is a send to that contact", async () => {
  await rolledBack(async (sql) => {
    const further = anyPhone();
    const [{ id: other }] = await sql`
      insert into contacts (company_id, phone, do_not_contact) values (${company_id}, ${further}, true)
      returning id
    `;
    await sql`select app.merge_contacts(${company_id}, ${contact_id}, ${other})`;
    const find = async () => {
      const [found] =
        await sql`select * from app.find_or_add_contact(${company_id}, ${further}, 'New')`;
      return { ...found };
    };
    assert.deepEqual(await find(), { id: contact_id, do_not_contact: true });
    // A former phone is somebody else's, and so is a sender whom the company has added under it.
    await sql`update contact_former_phones set until = ${at(0)} where contact_id = ${contact_id}`;
    const found = await find();
    assert.notEqual(found.id, contact_id);
    assert.equal(found.do_not_contact, false);
  });
});
