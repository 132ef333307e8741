// A merge turns two contacts of one person into one contact, and keeps the data of both.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, connectAccount, newCompany } from "../support/company.ts";
import { snapshot } from "../support/snapshot.ts";
import { statement } from "../support/test_stack.ts";
import { committed, untilWaiting } from "./connections.ts";
import { anyUserId, at, contentsIn, moved, tell } from "./inbound.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, account_id, contact_id } = company;
const bystander = await newCompany();

async function addContact(sql: Sql, columns: Record<string, unknown> = {}): Promise<string> {
  const row = { company_id, phone: anyPhone(), ...columns };
  return (await sql`insert into contacts ${sql(row)} returning id`)[0].id;
}

async function merge(sql: Sql, survivor: string, other: string): Promise<boolean> {
  const [{ merged }] = await sql`
    select app.merge_contacts(${company_id}, ${survivor}, ${other}) as merged
  `;
  return merged;
}

async function contact(sql: Sql, id: string) {
  return (await sql`select * from contacts where id = ${id}`)[0];
}

const phoneOf = async (sql: Sql, id: string) => (await contact(sql, id)).phone as string;

/**
 * Merges a contact with the columns `theirs` into a contact with the columns `own`, and returns the
 * survivor.
 */
async function mergedOf(sql: Sql, own: Record<string, unknown>, theirs: Record<string, unknown>) {
  const [survivor, other] = [await addContact(sql, own), await addContact(sql, theirs)];
  assert.equal(await merge(sql, survivor, other), true);
  return await contact(sql, survivor);
}

Deno.test("no table refers to contacts or conversations except the tables that a merge changes", async () => {
  const found = await statement`
    select conrelid::regclass::text as table, confrelid::regclass::text as to from pg_constraint
    where contype = 'f' and confrelid in ('contacts'::regclass, 'conversations'::regclass)
    order by 1
  `;
  assert.deepEqual(found.map(({ table, to }) => `${table} to ${to}`), [
    ...["contact_former_phones to contacts", "contact_identities to contacts"],
    ...["contact_identity_events to contacts", "contact_windows to contacts"],
    ...["conversations to contacts", "deals to contacts", "messages to conversations"],
    "opt_out_lifts to contacts",
  ]);
});

test("a merge moves all records of the other contact and leaves a tombstone for that contact", async (sql) => {
  const second = await connectAccount(sql, company_id);
  const other = await addContact(sql, { name: "Twin" });
  const person = { phone: await phoneOf(sql, other), user_id: anyUserId() };
  const told = (content: string) => ({ kind: "message", at: at(60), person, content });
  await tell(sql, second.id, told("elsewhere"));
  await tell(sql, account_id, told("before"));
  await sql`update conversations set status = 'closed' where contact_id = ${other}`;
  const [deal] = await sql`
    insert into deals (company_id, title, contact_id, stage_id)
    values (${company_id}, 'Theirs', ${other}, ${company.stage_ids[0]}) returning id
  `;
  const conversations = await sql`
    select id from conversations where contact_id = ${other} order by id
  `;
  assert.equal(await merge(sql, contact_id, other), true);

  const [{ contact_id: of }] = await sql`select contact_id from deals where id = ${deal.id}`;
  assert.equal(of, contact_id);
  const moved = await sql`
    select contact_id from conversations where id in ${sql(conversations.map(({ id }) => id))}
  `;
  assert.deepEqual(moved.map((row) => row.contact_id), [contact_id, contact_id]);
  const windows = await sql`
    select account_id from contact_windows where contact_id = ${contact_id} order by 1
  `;
  assert.deepEqual(windows.map((row) => row.account_id), [account_id, second.id].sort());
  // A conversation that is not closed shows the merged window.
  const [{ window_expires_at }] = await sql`
    select window_expires_at from conversations where id = ${company.conversation_id}
  `;
  assert.equal(window_expires_at.toISOString(), "2026-11-21T00:01:00.000Z");
  const [identity] = await sql`
    select contact_id from contact_identities where user_id = ${person.user_id}
  `;
  assert.equal(identity.contact_id, contact_id);
  const deleted = await sql`select resource, id from deleted_rows where company_id = ${company_id}`;
  assert.deepEqual([...deleted], [{ resource: "contacts", id: other }]);
  assert.equal(await merge(sql, contact_id, other), false, "a second merge");
  assert.equal(await merge(sql, contact_id, contact_id), false, "a merge with itself");
});

for (const isOlder of [true, false]) {
  Deno.test(`a merge of two open conversations keeps the older conversation (${isOlder ? "the survivor's" : "the other's"}) with all messages in order`, async () => {
    await rolledBack(async (sql) => {
      const other = await addContact(sql);
      const phones = [await phoneOf(sql, contact_id), await phoneOf(sql, other)];
      const said = ["one", "two", "three", "four"];
      for (const [n, content] of said.entries()) {
        const person = { phone: phones[n % 2] };
        await tell(sql, account_id, { kind: "message", at: at(60 * n), person, content });
      }
      const [theirs] = await sql`
        update conversations set
          created_at = now() + ${isOlder ? "1 hour" : "-1 hour"}::interval,
          team_id = ${company.team_id}, status = 'pending'
        where contact_id = ${other} returning id
      `;
      await sql`update conversations set assigned_to = ${company.member_id} where contact_id = ${contact_id}`;
      await merge(sql, contact_id, other);

      const kept = isOlder ? company.conversation_id : theirs.id;
      const gone = isOlder ? theirs.id : company.conversation_id;
      const [conversation, ...others] = await sql`
        select * from conversations where contact_id = ${contact_id}
      `;
      assert.deepEqual([conversation.id, others.length], [kept, 0]);
      assert.deepEqual(await contentsIn(sql, kept), said);
      assert.deepEqual(
        [conversation.status, conversation.team_id, conversation.assigned_to],
        ["open", company.team_id, company.member_id],
      );
      assert.equal(conversation.last_message_at.toISOString(), "2026-11-20T00:03:00.000Z");
      assert.equal(conversation.window_expires_at.toISOString(), "2026-11-21T00:03:00.000Z");
      const deleted = await sql`
        select resource, id from deleted_rows where company_id = ${company_id} order by 1
      `;
      assert.deepEqual([...deleted], [
        { resource: "contacts", id: other },
        { resource: "conversations", id: gone },
      ]);
    });
  });
}

test("the survivor of a merge keeps its own values and takes missing values from the other contact", async (sql) => {
  const merged = await mergedOf(
    sql,
    {
      name: "Ana",
      tags: ["a", "b"],
      custom_fields: sql.json({ x: 1, y: 1 }),
      temperature: "hot",
      source: "api",
    },
    {
      name: "Ana Souza",
      email: "ana@example.com",
      empresa: "Ltda",
      job_title: "CEO",
      tags: ["c", "b"],
      custom_fields: sql.json({ y: 2, z: 2 }),
      temperature: "cold",
      source: "whatsapp",
    },
  );
  const { name, email, empresa, job_title, tags, custom_fields, temperature, source } = merged;
  assert.deepEqual([name, email, empresa], ["Ana", "ana@example.com", "Ltda"]);
  assert.deepEqual([job_title, temperature, source], ["CEO", "hot", "api"]);
  assert.deepEqual([tags, custom_fields], [["a", "b", "c"], { x: 1, y: 1, z: 2 }]);
  const many = (name: string) => Array.from({ length: 40 }, (_, n) => `${name}${n}`);
  const full = await mergedOf(
    sql,
    { tags: many("a"), custom_fields: sql.json({ x: "x".repeat(20000) }) },
    { tags: many("b"), custom_fields: sql.json({ a: "a".repeat(12000), y: "y".repeat(2000) }) },
  );
  assert.deepEqual(full.tags, [...many("a"), ...many("b")].slice(0, 50));
  assert.deepEqual(
    Object.keys(full.custom_fields),
    ["a", "x"],
    "the values of both contacts together would be too large",
  );
});

test("a merge fills custom fields up to exactly 32,768 bytes, and an empty string counts as a missing value", async (sql) => {
  const filled = async (own: object, theirs: object, most: number) => {
    const [{ size, fits }] = await sql`
      select octet_length(full_fields::text) as size, app.missing_fields(own, theirs, ${most}) as fits
      from (select ${sql.json({ ...own })}::jsonb as own, ${
      sql.json({ ...theirs })
    }::jsonb as theirs) as given,
        lateral (select own || app.missing_fields(own, theirs) as full_fields) as filled
    `;
    return [size, Object.keys(fits)];
  };
  const cases: [object, object, string[]][] = [
    [{}, { a: "é", b: [1, 2] }, ["a", "b"]],
    [{ a: "", c: 1 }, { a: "xy", b: null }, ["a", "b"]],
    [{ a: "", c: 1 }, { a: "", c: 2 }, []],
  ];
  for (const [own, theirs, keys] of cases) {
    const [size, fits] = await filled(own, theirs, 32_768);
    assert.deepEqual(fits, keys);
    assert.deepEqual(await filled(own, theirs, size as number), [size, keys]);
    const [, fewer] = await filled(own, theirs, size as number - 1);
    assert.deepEqual(fewer, keys.slice(0, -1), "one byte less has no room for the last field");
  }
});

test("a name that someone set wins over a profile name, and the earlier of two profile names wins", async (sql) => {
  const names: [Record<string, unknown>, Record<string, unknown>, string][] = [
    [{ name: "Given" }, { name: "Profile", profile_name_at: at(0) }, "Given"],
    [{ name: "Profile", profile_name_at: at(0) }, { name: "Given" }, "Given"],
    [{ name: "Late", profile_name_at: at(9) }, { name: "Early", profile_name_at: at(0) }, "Early"],
    [{}, { name: "Profile", profile_name_at: at(0) }, "Profile"],
  ];
  for (const [own, theirs, name] of names) {
    assert.equal((await mergedOf(sql, own, theirs)).name, name);
  }
});

test("the survivor has do_not_contact if either contact had do_not_contact, unless a start word came after the stop word", async (sql) => {
  const wish = (do_not_contact: boolean, do_not_contact_source: string) => ({
    do_not_contact,
    do_not_contact_source,
  });
  const manual = wish(true, "manual");
  const word = { ...wish(true, "word"), do_not_contact_at: at(5), stop_word_at: at(5) };
  const allowed = { ...wish(false, "manual"), do_not_contact_at: at(9) };
  for (const [opted, source] of [[manual, "manual"], [word, "word"]] as const) {
    for (const other of [{}, allowed]) {
      for (const pair of [[opted, other], [other, opted]]) {
        const merged = await mergedOf(sql, pair[0], pair[1]);
        const { do_not_contact, do_not_contact_source } = merged;
        const wish = [do_not_contact, do_not_contact_source];
        assert.deepEqual(wish, [true, source], JSON.stringify(pair));
      }
    }
  }
  // Stop and start words of both contacts count as words of one person.
  const started = { start_word_at: at(6) };
  assert.equal((await mergedOf(sql, word, started)).do_not_contact, false);
  assert.equal((await mergedOf(sql, started, word)).do_not_contact, false);
  assert.equal((await mergedOf(sql, manual, started)).do_not_contact, true);

  const stopped = { marketing_stopped_at: at(1), marketing_stop_source: "status" };
  const resumed = { marketing_resumed_at: at(0) };
  for (const pair of [[stopped, resumed], [resumed, stopped]]) {
    const { marketing_opt_out_at, marketing_stop_source } = await mergedOf(sql, pair[0], pair[1]);
    assert.equal(marketing_opt_out_at.toISOString(), new Date(at(1)).toISOString());
    assert.equal(marketing_stop_source, "status");
  }
});

test("the merged contact's phone number belongs to the survivor until another contact gets that number", async (sql) => {
  const [survivor, other] = [await addContact(sql), await addContact(sql)];
  const phone = await phoneOf(sql, other);
  const without = await addContact(sql, { phone: null, has_identity: true });
  await merge(sql, survivor, other);
  await merge(sql, survivor, without);
  const found = async (seconds: number) =>
    (await sql`select app.owner_of_phone(${company_id}, ${phone}, ${at(seconds)}) as id`)[0].id;
  assert.equal(await found(0), survivor);
  const next = await addContact(sql);
  await sql`update contacts set phone = ${phone} where id = ${next}`;
  assert.equal(await found(0), next);
  const last = await addContact(sql, { phone: null, has_identity: true });
  await merge(sql, last, next);
  assert.equal(await phoneOf(sql, last), phone);
});

test("a contact can be merged even if the person has returned to an earlier phone number", async (sql) => {
  const [first, second] = [anyPhone(), anyPhone()];
  const other = await addContact(sql, { phone: first });
  await tell(sql, account_id, moved(first, second, 10));
  await tell(sql, account_id, moved(second, first, 20));
  assert.equal(await merge(sql, contact_id, other), true);
  const phones = await sql`
    select phone, until = 'infinity' as is_theirs from contact_former_phones
    where contact_id = ${contact_id} order by until
  `;
  assert.deepEqual([...phones], [
    { phone: second, is_theirs: false },
    { phone: first, is_theirs: true },
  ]);
});

Deno.test("a merge does not change another company's rows", async () => {
  const before = await snapshot(bystander.id);
  await rolledBack(async (sql) => {
    const other = await addContact(sql);
    await merge(sql, contact_id, other);
    const crossing = await sql`
      select app.merge_contacts(${company_id}, ${contact_id}, ${bystander.contact_id}) as merged
    `;
    assert.equal(crossing[0].merged, false);
  });
  assert.deepEqual(await snapshot(bystander.id), before);
});

const WRITES_DURING_A_MERGE: Record<
  string,
  (sql: Sql, id: string, phone: string) => Promise<unknown>
> = {
  "a PUT with If-Match": (sql, _, phone) =>
    sql`
    select public.write_contacts(
      array[${sql.json({ phone, name: "New" })}]::jsonb[], 'update',
      must_exist => true
    )
  `,
  "a batch": (sql, id) =>
    sql`
    select public.patch_contacts(array[${sql.json({ id, name: "New" })}]::jsonb[])
  `,
  "a change of the phone number": (sql, id) =>
    sql`
    update contacts set phone = ${anyPhone()}, name = 'New' where id = ${id}
  `,
};

for (const [what, write] of Object.entries(WRITES_DURING_A_MERGE)) {
  Deno.test(`${what} and a merge that waits for the same contact both succeed`, async () => {
    const own = await newCompany();
    const claims = { key_hash: await hashKey(own.keys.all), scope: "write" };
    const [phone, other] = [anyPhone(), anyPhone()];
    const [survivor, gone] = await statement`
      insert into contacts (company_id, phone) values (${own.id}, ${phone}), (${own.id}, ${other})
      returning id
    `;
    let merged!: Promise<string>;
    await committed(async (sql) => {
      // Each of these writes locks the contact before it waits for merges.
      await sql`select from contacts where id = ${survivor.id} for no key update`;
      const merging = Promise.withResolvers<number>();
      merged = committed(async (sql) => {
        merging.resolve((await sql`select pg_backend_pid() as pid`)[0].pid);
        await actAs(sql, "api_client", claims);
        await sql`select public.merge_contact(${survivor.id}, ${gone.id})`;
      }).then(() => "merged", String);
      await untilWaiting(await merging.promise);
      await actAs(sql, "api_client", claims);
      await write(sql, survivor.id, phone);
    });
    assert.equal(await merged, "merged");
    const left = await statement`
      select id, name from contacts where id = any (${[survivor.id, gone.id]})
    `;
    assert.deepEqual([...left], [{ id: survivor.id, name: "New" }]);
  });
}
