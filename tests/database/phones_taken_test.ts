// Tests phone numbers that are stored for another person, or as a merged contact's additional phone
// number.

import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { at, identityEventsOf, moved, phoneOf, tell } from "./inbound.ts";

const company = await newCompany();
const { id: company_id, account_id, contact_id } = company;

Deno.test("if a phone number belongs to another contact, messages from this number go to that contact until the channel links the sender's ids", async () => {
  const [oldId, newId, taken] = ["BR.old", "BR.new", "+15550177"];
  await rolledBack(async (sql) => {
    const [{ id: other }] = await sql`
      insert into contacts (company_id, phone, name) values (${company_id}, ${taken}, 'Pedro') returning id
    `;
    const former = (await phoneOf(sql, contact_id))!;
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
    assert.deepEqual([await phoneOf(sql, contact_id), await phoneOf(sql, other)], [former, taken]);
    // The other contact has lost its only id, so it must keep its phone number.
    const [{ has_identity }] = await sql`select has_identity from contacts where id = ${other}`;
    assert.equal(has_identity, false);

    // After the two contacts are merged, the survivor has the new phone number.
    await sql`select app.merge_contacts(${company_id}, ${contact_id}, ${other})`;
    assert.equal(await phoneOf(sql, contact_id), taken);
    const formers =
      await sql`select phone, until from contact_former_phones where contact_id = ${contact_id}`;
    assert.deepEqual([...formers], [{ phone: former, until: new Date(at(60)) }]);
    const kinds = (await identityEventsOf(sql, contact_id)).map(({ kind }) => kind);
    assert.deepEqual(kinds.sort(), ["merged", "phone_changed", "user_id_changed"]);
  });
});

Deno.test("a send to the phone number of a merged contact goes to the contact that survived the merge", async () => {
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
    // The phone number is now a former number, which another person may have. So a send to this
    // number creates a new contact.
    await sql`update contact_former_phones set until = ${at(0)} where contact_id = ${contact_id}`;
    const found = await find();
    assert.notEqual(found.id, contact_id);
    assert.equal(found.do_not_contact, false);
  });
});
