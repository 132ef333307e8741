// The database finds a person's contact by the channel's id, or else by the phone number. If no
// contact has this id or phone number, the database creates a contact.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { anyUserId, at, contactsOf, type Person, tell } from "./inbound.ts";
import { inEachOrder, orders } from "./orders.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, account_id, contact_id } = company;

/** The contact that is found or created for a person who writes at this time. */
async function find(sql: Sql, person: Person, seconds = 0): Promise<string> {
  const [{ id }] = await sql`
    select app.find_person(${account_id}, ${sql.json(person as postgres.JSONValue)},
    ${at(seconds)}) as id
  `;
  return id;
}

async function contact(sql: Sql, id: string) {
  const [row] = await sql`
    select *, array(
      select user_id from contact_identities where contact_id = contacts.id order by seen_at, user_id
    ) as user_ids
    from contacts where id = ${id}
  `;
  return row;
}

test("a person without a phone number becomes a contact with an id, and later messages belong to that contact", async (sql) => {
  const person = { user_id: anyUserId(), name: "Bia ✨" };
  const id = await find(sql, person);
  const { phone, phone_key, has_identity, name, user_ids } = await contact(sql, id);
  assert.deepEqual(
    [phone, phone_key, has_identity, name, user_ids],
    [null, null, true, "Bia ✨", [person.user_id]],
  );
  assert.equal(await find(sql, person, 60), id);
});

test("a contact is found even if the phone number has another format, and the contact keeps its stored format and gets the id", async (sql) => {
  const user_id = anyUserId();
  await sql`update contacts set phone = '+5511987650001' where id = ${contact_id}`;
  assert.equal(await find(sql, { phone: "+551187650001", user_id, name: "João" }), contact_id);
  const { phone, name, user_ids } = await contact(sql, contact_id);
  assert.deepEqual([phone, name, user_ids], ["+5511987650001", "Ada", [user_id]]);
  assert.equal(await find(sql, { user_id }), contact_id);
});

test("a contact is found by its id even if the message has a new phone number, and the contact keeps its stored phone number", async (sql) => {
  const [person, phone] = [{ user_id: anyUserId() }, anyPhone()];
  const id = await find(sql, { ...person, phone });
  assert.equal(await find(sql, { ...person, phone: anyPhone() }), id);
  assert.equal((await contact(sql, id)).phone, phone);
});

test("a contact without a phone number receives the phone number from a later message", async (sql) => {
  const [user_id, phone] = [anyUserId(), anyPhone()];
  const id = await find(sql, { user_id });
  assert.equal(await find(sql, { user_id, phone }), id);
  assert.equal((await contact(sql, id)).phone, phone);
});

Deno.test("a contact without a name receives the earliest profile name, in whatever order the messages arrive", async () => {
  const [a, b, c, none] = [
    [{ name: "Luz" }, 10],
    [{ name: "Luz M." }, 20],
    [{ name: "Ana" }, 20],
    [{ name: null }, 5],
  ] as [Person, number][];
  for (
    const [all, name] of [[orders([a, b, none]), "Luz"], [orders([b, c, none]), "Ana"]] as const
  ) {
    await inEachOrder(all, async (sql, order) => {
      const phone = anyPhone();
      let id = "";
      for (const [person, seconds] of order) id = await find(sql, { ...person, phone }, seconds);
      assert.equal((await contact(sql, id)).name, name, JSON.stringify(order));
    });
  }
});

test("a profile name never replaces a name that the company has set", async (sql) => {
  const phone = anyPhone();
  const id = await find(sql, { phone, name: "Luz" }, 10);
  await sql`update contacts set name = 'Dona Luz' where id = ${id}`;
  await find(sql, { phone, name: "L." }, 5);
  assert.equal((await contact(sql, id)).name, "Dona Luz");
});

test("a long profile name is shortened, and an empty profile name is ignored", async (sql) => {
  const long = await find(sql, { phone: anyPhone(), name: "x".repeat(300) });
  assert.equal((await contact(sql, long)).name, "x".repeat(255));
  const empty = await find(sql, { phone: anyPhone(), name: "  " });
  assert.equal((await contact(sql, empty)).name, null);
});

test("a former phone number belongs to its contact until the time of the change, and is free afterwards", async (sql) => {
  const phone = anyPhone();
  await sql`insert into contact_former_phones ${
    sql({ company_id, contact_id, phone, until: at(100) })
  }`;
  assert.equal(await find(sql, { phone }, 100), contact_id);
  const next = await find(sql, { phone }, 101);
  assert.notEqual(next, contact_id);
  assert.equal((await contact(sql, next)).phone, phone);
  // A message that is older than the change still belongs to the first contact, although another person
  // has the number now.
  assert.equal(await find(sql, { phone }, 99), contact_id);
  assert.equal(await find(sql, { phone }, 200), next);
});

test("a message with one contact's id and another contact's phone number merges the two contacts, and the contact with the phone number survives", async (sql) => {
  const user_id = anyUserId();
  const other = await find(sql, { user_id, name: "Bia" });
  const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
  assert.equal(await find(sql, { user_id, phone }), contact_id);
  assert.equal(await contact(sql, other), undefined);
  const { name, user_ids, has_identity } = await contact(sql, contact_id);
  assert.deepEqual([name, user_ids, has_identity], ["Ada", [user_id], true]);
  const events = await sql`
    select kind, was, becomes from contact_identity_events where contact_id = ${contact_id}
  `;
  assert.deepEqual([...events], [{ kind: "merged", was: other, becomes: contact_id }]);
  const deleted = await sql`
    select id from deleted_rows where company_id = ${company_id} and resource = 'contacts'
  `;
  assert.deepEqual(deleted.map(({ id }) => id), [other]);
});

Deno.test("in another company, the same phone number or id can belong to another person", async () => {
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const person = { phone: anyPhone(), user_id: anyUserId() };
    const id = await find(sql, person);
    const before = await contact(sql, id);
    await tell(sql, other.account_id, { kind: "message", at: at(0), person });
    assert.deepEqual(await contact(sql, id), before);
    assert.equal((await contactsOf(sql, other)).length, 2);
  });
});
