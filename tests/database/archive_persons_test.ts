// An archived contact loses its phone numbers and ids. If the person then writes or receives a
// message, a new contact is created, which inherits the archived contact's opt-outs.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, actAsPerson, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { committed, overlapping } from "./connections.ts";
import { anyMessageId, anyUserId, at, contactsOf, moved, type Person, tell } from "./inbound.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const company = await newCompany();
const { id: company_id, account_id } = company;

async function newContact(sql: Sql, columns: Record<string, unknown> = {}): Promise<string> {
  const row = { company_id, phone: anyPhone(), ...columns };
  const [{ id }] = await sql`insert into contacts ${sql(row)} returning id`;
  return id;
}

async function archive(sql: Sql, id: string, isArchived = true) {
  await sql`update contacts set archived_at = ${isArchived ? sql`now()` : null} where id = ${id}`;
}

/** Sets do_not_contact as a user or a key does, at this time. */
async function decides(sql: Sql, id: string, do_not_contact: boolean, seconds: number) {
  const decision = {
    do_not_contact,
    do_not_contact_source: "manual",
    do_not_contact_at: at(seconds),
  };
  await sql`update contacts set ${sql(decision)} where id = ${id}`;
}

/** Finds or adds the contact for a phone number, as a send does. */
async function sendTo(sql: Sql, phone: string) {
  return (await sql`select * from app.find_or_add_contact(${company_id}, ${phone}, null)`)[0];
}

/** Applies a message from a person, and returns the contact to which the message belongs. */
async function writes(
  sql: Sql,
  person: Record<string, string | null>,
  members: Record<string, unknown> = {},
): Promise<postgres.Row> {
  const id = String(members.id ?? anyMessageId());
  const told = { kind: "message", at: at(50), person, id, ...members };
  assert.equal(await tell(sql, account_id, told), "done");
  const [contact] = await sql`
    select contacts.* from messages
    join conversations on conversations.id = conversation_id join contacts on contacts.id = contact_id
    where whatsapp_message_id = ${id}
  `;
  return contact;
}

/** The contact that a person with this phone number or id has now. */
async function contactOf(sql: Sql, person: Person): Promise<string> {
  const [{ id }] = await sql`
    select app.known_person(${company_id}, ${sql.json({ ...person })}, now()) as id
  `;
  return id;
}

async function row(sql: Sql, id: string): Promise<postgres.Row> {
  return (await sql`select * from contacts where id = ${id}`)[0];
}

test("a message from an archived contact's phone number creates a new contact and leaves the old conversation unchanged", async (sql) => {
  const phone = anyPhone();
  const old = await writes(sql, { phone, user_id: anyUserId(), name: "Ana" });
  const conversations = () => sql`select * from conversations where contact_id = ${old.id}`;
  const before = [...await conversations()];
  await archive(sql, old.id);
  const fresh = await writes(sql, { phone, name: "Ana" });
  assert.notEqual(fresh.id, old.id);
  assert.equal((await writes(sql, { phone })).id, fresh.id);
  assert.deepEqual([...await conversations()], before);
});

test("a person with a hidden phone number gets a new contact after the old contact is archived, and a restored contact gets its user id back if the id is free", async (sql) => {
  const user_id = anyUserId();
  const person = { phone: null, user_id };
  const old = await writes(sql, person, { word: "stop" });
  await archive(sql, old.id);
  const fresh = await writes(sql, person);
  assert.notEqual(fresh.id, old.id);
  // The new contact inherits the opt-out and the time of the opt-out. The company may reply only if
  // the person writes after that time.
  assert.deepEqual([
    fresh.do_not_contact,
    fresh.do_not_contact_source,
    fresh.do_not_contact_at.getTime(),
  ], [true, "word", Date.parse(at(50))]);
  const [{ holder }] = await sql`select app.holder_of_persons(${company_id}, ${old.id}) as holder`;
  assert.equal(holder, fresh.id);
  await archive(sql, fresh.id);
  await archive(sql, old.id, false);
  assert.equal((await writes(sql, person)).id, old.id);
  // The id belongs to the old contact again, so the new contact does not get the id back.
  await archive(sql, fresh.id, false);
  const kept = await sql`
    select user_id, archived_user_id from contact_identities where contact_id = ${fresh.id}
  `;
  assert.deepEqual([...kept], [{ user_id: null, archived_user_id: user_id }]);
});

test("the main, additional and former phone numbers of an archived contact belong to no contact until the contact is restored", async (sql) => {
  const [phone, further, former] = [anyPhone(), anyPhone(), anyPhone()];
  const old = await newContact(sql, { phone, do_not_contact: true });
  await sql`
    insert into contact_former_phones (company_id, contact_id, phone, until)
    values (${company_id}, ${old}, ${further}, 'infinity'),
      (${company_id}, ${old}, ${former}, ${at(90)})
  `;
  const owners = async () => {
    const found = await sql`
      select app.owner_of_phone(${company_id}, phone, ${at(50)}) as owner
      from unnest(${[
      phone,
      further,
      former,
    ]}::text[]) with ordinality as asked (phone, place) order by place
    `;
    return found.map(({ owner }) => owner);
  };
  assert.deepEqual(await owners(), [old, old, old]);
  await archive(sql, old);
  assert.deepEqual(await owners(), [null, null, null]);
  // A new contact inherits the opt-out through the additional phone number, but not through the
  // former phone number, because that number now belongs to someone else.
  assert.equal((await sendTo(sql, further)).do_not_contact, true);
  assert.equal((await sendTo(sql, former)).do_not_contact, false);
  await sql`delete from contacts where id <> ${old} and company_id = ${company_id} and phone in ${
    sql([further, former])
  }`;
  await archive(sql, old, false);
  assert.deepEqual(await owners(), [old, old, old]);
});

test("a new contact inherits the newest decisions about do_not_contact and marketing from archived contacts with the same phone number", async (sql) => {
  const phone = anyPhone();
  const first = await newContact(sql, { phone });
  await decides(sql, first, true, 10);
  await sql`update contacts set marketing_stopped_at = ${
    at(5)
  }, marketing_stop_source = 'preference' where id = ${first}`;
  await archive(sql, first);
  const second = await newContact(sql, { phone });
  assert.deepEqual((await row(sql, second)).do_not_contact, true);
  await decides(sql, second, false, 20);
  await archive(sql, second);
  const third = await row(sql, await newContact(sql, { phone }));
  assert.deepEqual([third.do_not_contact, third.marketing_opt_out_at], [false, new Date(at(5))]);

  // A contact that gets this phone number later also inherits the opt-out, even if the contact's
  // own decision is newer.
  await archive(sql, third.id);
  await decides(sql, second, true, 30);
  const other = await newContact(sql);
  await decides(sql, other, false, 40);
  await sql`update contacts set marketing_resumed_at = ${at(40)} where id = ${other}`;
  await sql`update contacts set phone = ${phone} where id = ${other}`;
  const inherited = await row(sql, other);
  assert.deepEqual([inherited.do_not_contact, inherited.marketing_opt_out], [true, true]);

  // A restored contact that had opted out is still opted out.
  await archive(sql, other);
  await archive(sql, first, false);
  assert.equal((await row(sql, first)).do_not_contact, true);
});

test("a new contact inherits the newest decisions of many archived contacts without reading their custom fields", async (sql) => {
  const phone = anyPhone();
  // Postgres stores such long texts outside the row.
  await sql`
    insert into contacts (
      company_id, phone, archived_at, custom_fields, do_not_contact, do_not_contact_source, do_not_contact_at,
      marketing_opt_out, marketing_stopped_at, marketing_stop_source, marketing_resumed_at
    )
    select
      ${company_id}, ${phone}, now(),
      jsonb_build_object('note', (select string_agg(md5(n::text || i), '') from generate_series(1, 200) as i)),
      n % 3 = 0, 'manual', ${at(0)}::timestamptz + n * interval '1 second',
      n <> 200, ${at(0)}::timestamptz + n % 200 * interval '1 second', 'button',
      case n when 200 then ${at(40)}::timestamptz end
    from generate_series(1, 300) as n
  `;
  const textsRead = async () => {
    const [{ texts }] = await sql`
      select pg_stat_get_xact_tuples_returned(indexrelid)::int as texts from pg_index
      where indrelid = (select reltoastrelid from pg_class where oid = 'contacts'::regclass)
    `;
    return texts;
  };
  const before = await textsRead();
  const id = await newContact(sql, { phone });
  assert.equal(await textsRead(), before);
  const { do_not_contact_at, ...inherited } = await row(sql, id);
  assert.deepEqual(
    [inherited.do_not_contact, do_not_contact_at, inherited.marketing_opt_out_at],
    [true, new Date(Date.parse(at(0)) + 300_000), new Date(Date.parse(at(0)) + 199_000)],
  );
  assert.deepEqual(inherited.marketing_resumed_at, new Date(at(40)));
});

test("a contact that opted out of marketing remains opted out when it receives the phone number of a contact that allows marketing", async (sql) => {
  const phone = anyPhone();
  const old = await newContact(sql, { phone });
  await sql`
    update contacts set marketing_stopped_at = ${at(10)}, marketing_resumed_at = ${at(30)}
    where id = ${old}
  `;
  await archive(sql, old);
  const other = await newContact(sql);
  await sql`update contacts set marketing_stopped_at = ${at(20)} where id = ${other}`;
  await sql`update contacts set phone = ${phone} where id = ${other}`;
  assert.deepEqual((await row(sql, other)).marketing_opt_out_at, new Date(at(20)));
});

test("if a late report opts an archived contact out of marketing, the contact that now has the phone number is also opted out", async (sql) => {
  const phone = anyPhone();
  const old = await newContact(sql, { phone });
  await archive(sql, old);
  const fresh = await newContact(sql, { phone });
  await sql`update contacts set marketing_stopped_at = ${
    at(9)
  }, marketing_stop_source = 'status' where id = ${old}`;
  assert.deepEqual((await row(sql, fresh)).marketing_opt_out_at, new Date(at(9)));
});

test("if a late report opts an archived contact out of marketing, the contact that has the phone number as an additional number is also opted out", async (sql) => {
  const phone = anyPhone();
  const old = await newContact(sql, { phone });
  await archive(sql, old);
  const survivor = await newContact(sql);
  await sql`
    select app.merge_contacts(${company_id}, ${survivor}, ${await newContact(sql, { phone })})
  `;
  await sql`
    update contacts set marketing_stopped_at = ${at(9)}, marketing_stop_source = 'status'
    where id = ${old}
  `;
  assert.deepEqual((await row(sql, survivor)).marketing_opt_out_at, new Date(at(9)));
});

test("a repeated notice about a new phone number changes nothing after the contact was archived", async (sql) => {
  const phone = anyPhone();
  const notice = moved(anyPhone(), phone, 60);
  const rows = async () => [
    await contactsOf(sql, company),
    [...await sql`select * from conversations where company_id = ${company_id} order by id`],
    [...await sql`select * from messages where company_id = ${company_id} order by id`],
    [...await sql`select * from app.events where company_id = ${company_id} order by id`],
  ];
  assert.equal(await tell(sql, account_id, notice), "done");
  await archive(sql, await contactOf(sql, { phone }));
  const before = await rows();
  assert.equal(await tell(sql, account_id, notice), "done");
  assert.deepEqual(await rows(), before);
});

test("a repeated marketing preference changes nothing after the contact was archived or got another phone number", async (sql) => {
  const changes: Record<string, (id: string, phone: string) => Promise<unknown>> = {
    "the contact is archived": (id) => archive(sql, id),
    "the company changes the phone number": (id) =>
      sql`update contacts set phone = ${anyPhone()} where id = ${id}`,
    "the person changes numbers, and the contact is archived": async (id, phone) => {
      await tell(sql, account_id, moved(phone, anyPhone(), 60));
      await archive(sql, id);
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    for (const person of [{ phone: anyPhone() }, { phone: anyPhone(), user_id: anyUserId() }]) {
      const preferences = [["stop", 10], ["resume", 20], ["stop", 30]].map(([value, seconds]) => ({
        ...{ kind: "preference", at: at(Number(seconds)), person, value },
      }));
      for (const told of preferences) await tell(sql, account_id, told);
      await change(await contactOf(sql, person), person.phone);
      const before = await contactsOf(sql, company);
      for (const told of preferences) assert.equal(await tell(sql, account_id, told), "done");
      assert.deepEqual(await contactsOf(sql, company), before, `${name}: ${Object.keys(person)}`);
    }
  }
});

test("a repeated marketing preference from a person with a hidden phone number creates no contact after the person's contact was archived", async (sql) => {
  const person = { user_id: anyUserId() };
  const told = { kind: "preference", at: at(10), person, value: "stop" };
  await tell(sql, account_id, told);
  await archive(sql, await contactOf(sql, person));
  const before = await contactsOf(sql, company);
  assert.equal(await tell(sql, account_id, told), "done");
  assert.deepEqual(await contactsOf(sql, company), before);
});

test("after a contact is archived, a newer marketing preference creates a contact with this preference, and an older preference changes nothing", async (sql) => {
  const ends: [first: [string, number], then: [string, number], isOptedOut: boolean | null][] = [
    [["stop", 10], ["stop", 20], true],
    [["stop", 10], ["resume", 20], false],
    [["resume", 20], ["stop", 20], true],
    [["resume", 20], ["stop", 10], null],
    [["stop", 20], ["resume", 20], null],
  ];
  for (const [first, then, isOptedOut] of ends) {
    const person = { phone: anyPhone() };
    const prefers = ([value, seconds]: [string, number]) =>
      tell(sql, account_id, { kind: "preference", at: at(seconds), person, value });
    await prefers(first);
    await archive(sql, await contactOf(sql, person));
    assert.equal(await prefers(then), "done");
    const [made] = (await contactsOf(sql, company))
      .filter(({ phone, archived_at }) => phone === person.phone && !archived_at);
    assert.equal(made?.marketing_opt_out ?? null, isOptedOut, JSON.stringify([first, then]));
  }
});

test("a person can revoke an earlier message even after the person's contact was archived", async (sql) => {
  const phone = anyPhone();
  const id = anyMessageId();
  const old = await writes(sql, { phone }, { id });
  await archive(sql, old.id);
  await writes(sql, { phone });
  const revoke = { kind: "revoke", at: at(60), target: id };
  const stranger = { ...revoke, person: { phone: anyPhone() } };
  assert.equal(await tell(sql, account_id, stranger), "ignored");
  assert.equal(await tell(sql, account_id, { ...revoke, person: { phone } }), "done");
});

test("a restored contact inherits an opt-out only if the opt-out is newer than the contact's own decision", async (sql) => {
  for (const [own, isOptedOut] of [[40, false], [20, true]] as const) {
    const phone = anyPhone();
    const old = await newContact(sql, { phone });
    await sql`
      update contacts set do_not_contact = false, do_not_contact_source = 'manual',
        do_not_contact_at = ${at(own)}, marketing_resumed_at = ${at(own)}
      where id = ${old}
    `;
    await archive(sql, old);
    const other = await newContact(sql, { phone });
    await sql`
      update contacts set do_not_contact = true, do_not_contact_source = 'manual',
        do_not_contact_at = ${at(30)}, marketing_stopped_at = ${at(30)}
      where id = ${other}
    `;
    await archive(sql, other);
    await archive(sql, old, false);
    const { do_not_contact, do_not_contact_at, marketing_opt_out } = await row(sql, old);
    assert.deepEqual(
      [do_not_contact, do_not_contact_at, marketing_opt_out],
      [isOptedOut, new Date(at(isOptedOut ? 30 : own)), isOptedOut],
    );
  }
});

test("the word start of a person does not end the company's own opt-out of another of the person's phone numbers", async (sql) => {
  for (const isArchived of [true, false]) {
    const [phone, user_id] = [anyPhone(), anyUserId()];
    const old = await newContact(sql, { phone });
    await decides(sql, old, true, 50);
    // The opt-out is kept for the phone number, by the archived contact or without a contact.
    if (isArchived) await archive(sql, old);
    else await sql`update contacts set phone = ${anyPhone()} where id = ${old}`;
    const person = { phone: anyPhone(), user_id };
    const contact = await writes(sql, person, { word: "start", at: at(60) });
    assert.equal(contact.do_not_contact, false);
    // The phone number becomes an additional number of the contact.
    const { id, do_not_contact } = await writes(sql, { phone, user_id }, { at: at(70) });
    assert.deepEqual([id, do_not_contact], [contact.id, true]);
    assert.equal((await sendTo(sql, phone)).do_not_contact, true);
    await sql`select app.erase_contacts(${company_id}, ${[id]}::uuid[])`;
    assert.equal((await sendTo(sql, phone)).do_not_contact, true);
  }
});

test("the company's own opt-out of a phone number remains when a person with other keywords also uses the number", async (sql) => {
  for (const words of [["stop", null, "start"], ["stop", "start", null]]) {
    const [phone, user_id] = [anyPhone(), anyUserId()];
    const old = await newContact(sql, { phone });
    await decides(sql, old, true, 50);
    await archive(sql, old);
    const person = { phone: anyPhone(), user_id };
    for (const [step, word] of words.entries()) {
      // With the message without a keyword, the phone number becomes an additional number.
      const from = word === null ? { phone, user_id } : person;
      await writes(sql, from, { at: at(60 + step), ...(word && { word }) });
    }
    assert.equal((await sendTo(sql, phone)).do_not_contact, true, words.join());
  }
});

test("the company's own opt-out of a phone number remains when the number becomes the main number of a contact that sent keywords", async (sql) => {
  const [phone, user_id] = [anyPhone(), anyUserId()];
  const old = await newContact(sql, { phone });
  await decides(sql, old, true, 50);
  await archive(sql, old);
  await writes(sql, { user_id }, { word: "stop", at: at(60) });
  await writes(sql, { phone, user_id }, { at: at(61) });
  await writes(sql, { phone, user_id }, { word: "start", at: at(62) });
  assert.equal((await sendTo(sql, phone)).do_not_contact, true);
});

test("an opt-out that was lifted for a person's phone number does not return with the person's id", async (sql) => {
  for (const column of ["do_not_contact", "marketing_opt_out"]) {
    const [phone, user_id] = [anyPhone(), anyUserId()];
    const { id: old } = await writes(sql, { phone, user_id }, { at: at(5) });
    await sql`update contacts set ${sql({ [column]: true })} where id = ${old}`;
    await sql`
      update contacts set do_not_contact_at = ${at(10)}, marketing_stopped_at = ${
      at(10)
    } where id = ${old}
      and (do_not_contact or marketing_opt_out)
    `;
    await archive(sql, old);
    const { id } = await sendTo(sql, phone);
    assert.equal((await row(sql, id))[column], true);
    await sql`update contacts set ${sql({ [column]: false })} where id = ${id}`;
    await archive(sql, id);
    await sql`savepoint lifted`;
    for (const word of [null, "start"]) {
      if (word) await writes(sql, { phone }, { word, at: at(30) });
      const newest = await writes(sql, { phone, user_id }, { at: at(31) });
      assert.equal((await row(sql, newest.id))[column], false, `${column} ${word}`);
      await sql`rollback to savepoint lifted`;
    }
  }
});

test("an opt-out that the company has lifted does not return after the words stop and start", async (sql) => {
  const [phone, user_id] = [anyPhone(), anyUserId()];
  const { id: old } = await writes(sql, { phone, user_id }, { at: at(5) });
  await decides(sql, old, true, 10);
  await archive(sql, old);
  const { id } = await sendTo(sql, phone);
  await decides(sql, id, false, 20);
  await writes(sql, { phone }, { word: "stop", at: at(30) });
  await writes(sql, { phone }, { word: "start", at: at(40) });
  // The contact gains an id that the archived contact had too.
  await writes(sql, { phone, user_id }, { at: at(41) });
  assert.equal((await sendTo(sql, phone)).do_not_contact, false);
  await archive(sql, id);
  await archive(sql, id, false);
  assert.equal((await sendTo(sql, phone)).do_not_contact, false);
  await archive(sql, id);
  assert.equal((await sendTo(sql, phone)).do_not_contact, false);
});

test("a stop word that follows a manual opt-out applies, even if another contact was opted in before the stop word", async (sql) => {
  const ends: Record<string, (old: string, other: string, phone: string) => Promise<string>> = {
    "a new contact": (_old, _other, phone) => newContact(sql, { phone }),
    "the other contact is restored": async (_old, other) => {
      await archive(sql, other, false);
      return other;
    },
    "both contacts are erased": async (old, other, phone) => {
      for (const id of [old, other]) {
        await sql`select app.erase_contacts(${company_id}, array[${id}]::uuid[])`;
      }
      return await newContact(sql, { phone });
    },
  };
  for (const [name, end] of Object.entries(ends)) {
    for (const [stopped, isOptedOut] of [[40, true], [20, false]] as const) {
      const phone = anyPhone();
      const old = await newContact(sql, { phone });
      await decides(sql, old, true, 10);
      await archive(sql, old);
      const other = await newContact(sql, { phone });
      await decides(sql, other, false, 30);
      await archive(sql, other);
      await archive(sql, old, false);
      await writes(sql, { phone }, { word: "stop", at: at(stopped) });
      assert.equal(
        (await row(sql, old)).stop_word_at.toISOString(),
        new Date(at(stopped)).toISOString(),
      );
      await archive(sql, old);
      const { do_not_contact } = await row(sql, await end(old, other, phone));
      assert.equal(do_not_contact, isOptedOut, `${name}: ${stopped}`);
    }
  }
});

Deno.test("a new contact is opted out even if the opted-out contact with the same phone number is archived at the same moment", async () => {
  const makings: ((sql: Sql, phone: string) => Promise<unknown>)[] = [
    async (sql, phone) => assert.equal((await sendTo(sql, phone)).do_not_contact, true),
    (sql, phone) => newContact(sql, { phone }),
  ];
  for (const makes of makings) {
    const phone = anyPhone();
    const old = await committed((sql) => newContact(sql, { phone, do_not_contact: true }));
    await overlapping((sql) => archive(sql, old), (sql) => makes(sql, phone));
    const contacts = (await committed((sql) => contactsOf(sql, company)))
      .filter((contact) => contact.phone === phone && !contact.archived_at);
    assert.deepEqual(contacts.map((contact) => contact.do_not_contact), [true]);
  }
});

Deno.test("if a message arrives while another request archives the contact, the message goes to a new contact", async () => {
  const phone = anyPhone();
  const old = await committed((sql) => newContact(sql, { phone }));
  const [, fresh] = await overlapping((sql) => archive(sql, old), (sql) => writes(sql, { phone }));
  assert.notEqual(fresh.id, old);
});

Deno.test("a deal write waits while the deal's contact is being archived, and is then refused", async () => {
  const contact_id = await committed((sql) => newContact(sql));
  const deal = { company_id, title: "Late", contact_id, stage_id: company.stage_ids[0] };
  await assert.rejects(
    overlapping(
      (sql) => archive(sql, contact_id),
      (sql) => sql`insert into deals ${sql(deal)}`,
    ),
    /deals_contact_not_archived/,
  );
});

test("a message that was sent before a restore remains with the contact that had the phone number then", async (sql) => {
  const [phone, user_id] = [anyPhone(), anyUserId()];
  const old = await newContact(sql, { archived_at: at(10) });
  await sql`
    insert into contact_former_phones (company_id, contact_id, phone, until, is_archived)
    values (${company_id}, ${old}, ${phone}, 'infinity', true)
  `;
  const fresh = await writes(sql, { phone, user_id });
  await archive(sql, old, false);
  assert.equal((await writes(sql, { phone, user_id })).id, fresh.id);
});

Deno.test("an additional phone number never belongs to a restored contact and a new contact at the same time", async () => {
  const key_hash = await hashKey(company.keys.all);
  const makers: [string, (sql: Sql, phone: string) => Promise<unknown>][] = [
    ["a send", (sql, phone) => sendTo(sql, phone)],
    ["a key", async (sql, phone) => {
      await actAs(sql, "api_client", { key_hash, scope: "write" });
      return sql`select write_contacts(array[${sql.json({ phone })}], atomic => true)`;
    }],
    ["a person", async (sql, phone) => {
      await actAsPerson(sql, company.member_id);
      return sql`insert into contacts ${sql({ company_id, phone })}`.catch((error) => {
        assert.equal(error.constraint_name, "contacts_one_per_phone");
      });
    }],
    ["a message", (sql, phone) => writes(sql, { phone })],
    ["a message of a contact without a phone number", async (sql, phone) => {
      const user_id = anyUserId();
      await writes(sql, { phone: null, user_id });
      await writes(sql, { phone, user_id });
    }],
    ["a report of a new phone number", async (sql, phone) => {
      const former = anyPhone();
      await writes(sql, { phone: former });
      await tell(sql, account_id, moved(former, phone, 60));
    }],
  ];
  for (const [name, makes] of makers) {
    for (const isRestoredFirst of [true, false]) {
      const [phone, id] = await committed(async (sql) => {
        const [phone, id] = [anyPhone(), await newContact(sql)];
        await sql`
          insert into contact_former_phones (company_id, contact_id, phone, until)
          values (${company_id}, ${id}, ${phone}, 'infinity')
        `;
        await archive(sql, id);
        return [phone, id];
      });
      const restores = (sql: Sql) => archive(sql, id, false);
      const adds = (sql: Sql) => makes(sql, phone);
      await (isRestoredFirst ? overlapping(restores, adds) : overlapping(adds, restores))
        .catch((error) => {
          if (name !== "a person" || error.constraint_name !== "contacts_one_per_phone") {
            throw error;
          }
        });
      const [{ count }] = await committed((sql) =>
        sql`
          select count(*)::integer from (
            select id from contacts where company_id = ${company_id} and phone_key = app.phone_key(${phone})
            union
            select contact_id from contact_former_phones
            where company_id = ${company_id} and phone_key = app.phone_key(${phone}) and until = 'infinity'
          ) as having_it
        `
      );
      assert.equal(count, 1, `${name}, ${isRestoredFirst ? "restored first" : "restored last"}`);
    }
  }
});
