// A person who receives a new id from the channel remains the same contact, in whatever order the
// events arrive.

import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import {
  anyUserId,
  at,
  contactsOf,
  identityEventsOf,
  tell,
  type Told,
  userIdsOf,
} from "./inbound.ts";
import { inEachOrder, orders } from "./orders.ts";

const company = await newCompany();
const { account_id } = company;

Deno.test("a person's new id belongs to the person's contact, whether the phone number, one id or both ids were known before", async () => {
  const [was, becomes] = ["BR.was", "BR.becomes"];
  const known: [string, { user_id?: string; phone?: string }[]][] = [
    ["the previous id", [{ user_id: was }]],
    ["the phone number", [{ phone: "+15550180" }]],
    ["the phone number and the previous id", [{ phone: "+15550180", user_id: was }]],
    ["the new id", [{ user_id: becomes }]],
    ["both ids, on two contacts", [{ user_id: becomes }, { user_id: was }]],
    ["the phone number and the new id on one contact, and the previous id on another", [
      { user_id: was },
      { phone: "+15550180", user_id: becomes },
    ]],
  ];
  for (const [name, persons] of known) {
    for (const withPhone of persons.some(({ phone }) => phone) ? [true, false] : [false]) {
      // An event without a phone number cannot find a contact that has only a phone number.
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
        for (const again of [false, true]) {
          for (const item of order) await tell(sql, account_id, item);
          const [, made, ...others] = await contactsOf(sql, company);
          const what = `${name}, ${order.map(({ kind }) => kind)}, ${again ? "again" : "once"}`;
          assert.equal(others.length, 0, what);
          assert.deepEqual(await userIdsOf(sql, made.id), [becomes, was], what);
          const changed = (await identityEventsOf(sql, made.id)).filter(({ kind }) =>
            kind !== "merged"
          );
          assert.deepEqual(changed, [{ kind: "user_id_changed", was, becomes }], what);
        }
        for (const user_id of [was, becomes]) {
          await tell(sql, account_id, { kind: "message", at: at(99), person: { user_id } });
        }
        assert.equal((await contactsOf(sql, company)).length, 2);
        const { count } = await sql`select from user_id_changes where company_id = ${company.id}`;
        assert.equal(count, 0);
      });
    }
  }
});

Deno.test("a change of an unknown id does not create a contact", async () => {
  await rolledBack(async (sql) => {
    const before = await contactsOf(sql, company);
    const change = { user_id: anyUserId() };
    const person = { user_id: anyUserId() };
    const told: Told = { kind: "identity", at: at(0), person, change };
    assert.equal(await tell(sql, account_id, told), "done");
    assert.equal(await tell(sql, account_id, told), "done");
    const stranger = { ...told, person: { phone: anyPhone() } };
    assert.equal(await tell(sql, account_id, stranger), "ignored");
    assert.deepEqual(await contactsOf(sql, company), before);
  });
});

Deno.test("if an id change merges two contacts, the contact with a phone number survives, or the older contact if neither has a phone number", async () => {
  const [was, becomes] = ["BR.was", "BR.becomes"];
  const change: Told = {
    kind: "identity",
    at: at(60),
    person: { user_id: was },
    change: { user_id: becomes },
  };
  await inEachOrder(orders([was, becomes]), async (sql, [first, second]) => {
    for (const phone of [null, "+15550181"]) {
      await sql.savepoint(async (sql) => {
        const ids = [];
        for (const person of [{ user_id: first }, { user_id: second, phone }]) {
          await tell(sql, account_id, { kind: "message", at: at(0), person });
          ids.push(
            (await sql`
              update contacts set created_at = now() + ${ids.length} * interval '1 hour'
              where id = (select contact_id from contact_identities where user_id = ${person.user_id})
              returning id
            `)[0].id,
          );
        }
        await tell(sql, account_id, change);
        const [, made, ...others] = await contactsOf(sql, company);
        assert.deepEqual([made.id, others.length], [phone ? ids[1] : ids[0], 0]);
        await sql`delete from conversations where contact_id = ${made.id}`;
        await sql`delete from contacts where id = ${made.id}`;
      });
    }
  });
});

Deno.test("a person id in a report belongs to the message's recipient, whether the report arrives before or after the recipient's answer", async () => {
  const [wamid, user_id] = ["wamid.sent", "BR.1"];
  await inEachOrder(orders(["report", "answer"]), async (sql, order) => {
    await sql`
      insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
      values (${company.id}, ${company.conversation_id}, 'outbound', 'Hello', 'accepted', ${wamid})
    `;
    const report = {
      ...{ kind: "status", id: wamid, status: "delivered", at: at(0), recipient_user_id: user_id },
      ...{ waba: null, phone_number_id: null, mark: null, failure: null, price: null },
    };
    for (const what of [...order, ...order]) {
      if (what === "report") {
        await sql`select app.apply_status(${[account_id]}, ${sql.json(report)})`;
      } else {
        const id = "wamid.answer";
        await tell(sql, account_id, { kind: "message", at: at(9), id, person: { user_id } });
      }
    }
    const [contact, ...others] = await contactsOf(sql, company);
    assert.deepEqual([contact.id, others.length], [company.contact_id, 0], String(order));
    const [conversation, ...more] = await sql`
      select id from conversations where company_id = ${company.id}
    `;
    assert.deepEqual([conversation.id, more.length], [company.conversation_id, 0], String(order));
  });
});
