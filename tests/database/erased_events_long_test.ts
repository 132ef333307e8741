// Tests channel events about a person who is then erased: all fixtures, and events with unknown
// fields. No column of any table keeps the person's texts, even if an event contains these texts in
// unusual places or arrives late. Other people's texts are kept.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { whatIsIn } from "../../supabase/functions/whatsapp/events/due_events.ts";
import { eventsOf, ownWebhook } from "../support/channel_apps.ts";
import { asSuperuser, statement, withDatabase } from "../support/test_stack.ts";
import { fixture, FIXTURES } from "../whatsapp_function/told/fixtures.ts";
import { newWorld, type World } from "../whatsapp_function/told/world.ts";
import {
  anyPerson,
  card,
  columnsWith,
  idWith,
  messageOf,
  type Person,
  statusOf,
  tracesOf,
} from "./erased_person.ts";

const webhook = await ownWebhook();
const HOUR = 3600;

/** The names of event fields whose text a person or the channel can choose freely. */
const FREE_TEXTS = new Set([
  ...["body", "caption", "filename", "name", "formatted_name", "first_name", "username", "address"],
  ...["title", "description", "detail", "headline", "response_json", "recommendation", "message"],
]);

/**
 * A fixture whose events happened an hour ago. This person replaces every person in the fixture,
 * and every free text ends with this person's name marker and phone number.
 */
function fixtureOf(number: string, { shift }: World, { wa_id, user_id, digits, mark }: Person) {
  const earlier = { ...shift, seconds: shift.seconds - HOUR };
  const told = fixture(number, earlier)
    .replaceAll("5521987654321", `1202${digits}`)
    .replaceAll(/55119?8765[0-9]{4}|5215512345678|5491123456789|5511966660000/g, wa_id)
    .replaceAll(/(?:BR|MX|AR)\.[0-9]{15}([0-9])/g, `${user_id}$1`);
  return JSON.stringify(
    JSON.parse(
      told,
      (key, value) =>
        FREE_TEXTS.has(key) && typeof value === "string" ? `${value} ${mark} ${wa_id}` : value,
    ),
  );
}

/** Bodies of events that identify a person in ways that no fixture does. */
function madeUp({ a, shift }: World, person: Person, ago: number): string[] {
  const { phone, wa_id, user_id, name, email, digits } = person;
  const timestamp = String(Math.floor(Date.now() / 1000) - ago);
  const metadata = { display_phone_number: "551140028922", phone_number_id: `${shift.numbers}1` };
  const event = (field: string, value: unknown, more = {}, entry = {}) =>
    JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ id: a.business_account_id, changes: [{ field, value }], ...entry }],
      ...more,
    });
  const about = (field: string, parts: Record<string, unknown>) =>
    event(field, { messaging_product: "whatsapp", metadata, ...parts });
  const spelled = `+55 (85) 9${digits.slice(0, 4)}-${digits.slice(4)}`;
  const callId = idWith(wa_id).replace("wamid", "wacid");
  return [
    about("calls", {
      calls: [{ id: callId, to: "551140028922", event: "connect", timestamp, note: name }],
    }),
    about("calls", { calls: [{ id: "1", from: wa_id, timestamp }], contacts: [card(person)] }),
    about("smb_message_echoes", {
      message_echoes: [{ to: wa_id, id: "wamid.x", timestamp, type: "text", text: { body: name } }],
    }),
    about("history", {
      history: [{ threads: [{ id: wa_id, messages: [{ to: wa_id, text: { body: name } }] }] }],
    }),
    about("smb_app_state_sync", {
      state_sync: [{ type: "contact", contact: { full_name: name, phone_number: wa_id } }],
    }),
    about("group_participants_update", {
      groups: [{ removed_participants: [{ wa_id }, { user_id }], note: name }],
    }),
    about("of_2031", { who: phone, name }),
    about("of_2031", { id: Number(wa_id), name }),
    about("of_2031", { text: `Call ${spelled}.`, name }),
    about("of_2031", { text: `<b>${user_id}</b>`, name }).replaceAll("<", "\\u003C"),
    about("of_2031", { text: `\u00a0${wa_id}`, name }).replaceAll("\u00a0", "\\u00a0"),
    about("of_2031", { wishes: email, name }).replaceAll("@", "\\u0040"),
    about("of_2031", { inner: JSON.stringify({ from: wa_id, name }) }),
    // In these events, it is unclear to which person a part belongs.
    event("of_2031", `${name} ${phone}`),
    event("of_2031", [{ wa_id, name }]),
    event("of_2031", {}, { who: { wa_id, name } }),
    event("of_2031", {}, {}, { who: { wa_id, name } }),
    // Known fields: the person is in an unexpected part, or in a report about an unknown message.
    // The last two bodies are not valid JSON.
    about("messages", { odd: { to: wa_id, name } }),
    about("messages", { messages: [{ id: "x".repeat(256), to: wa_id, text: { body: name } }] }),
    about("messages", { errors: [{ code: 130429, title: `${name} ${phone}` }] }),
    about("messages", {
      statuses: [statusOf(person, `wamid.${"x".repeat(300)}`, { title: name }, ago)],
      contacts: [card(person)],
    }),
    about("messages", {
      statuses: [statusOf(person, "wamid.another-tool", { title: name }, ago)],
      contacts: [card(person)],
    }),
    event("message_template_status_update", {
      event: "REJECTED",
      message_template_id: 1780000000000001,
      message_template_name: "order_update",
      message_template_language: "pt-BR",
      reason: `It names ${name}, ${phone}`,
    }),
    event("account_update", {
      event: "ACCOUNT_VIOLATION",
      violation_info: { text: `${name} ${wa_id}` },
    }),
    `not JSON: ${JSON.stringify(metadata)} ${name} ${wa_id}`,
    `{"object":"whatsapp_business_account","entry":[{"id":"1"}], "who": "${name} ${wa_id}", "odd": "\u0000"}`,
  ];
}

/**
 * An event about the erased person and another person. After the erasure, the other person's message
 * must not be lost: it is a row of `messages`, or is still in the event.
 */
function ofTwo({ shift }: World, person: Person, other: Person): string {
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{
      id: "1",
      changes: [
        ["messages", {
          contacts: [card(person), card(other)],
          messages: [
            messageOf(person, { text: { body: person.name } }, HOUR),
            messageOf(other, { text: { body: `I am ${other.name} \\u0000 \ud800` } }, HOUR),
          ],
        }],
        ["of_2031", { said_by: person.name }],
      ].map(([field, parts]) => ({
        field,
        value: { metadata: { phone_number_id: `${shift.numbers}1` }, ...parts as object },
      })),
    }],
  });
}

/** Erases everyone except this person from the companies of the test setup. */
async function eraseAllBut({ a, b }: World, { phone }: Person) {
  await withDatabase(async (sql) => {
    for (const { id } of [a, b]) {
      await sql.begin(async (sql) => {
        const contacts = await sql`
          select id from contacts where company_id = ${id} and phone is distinct from ${phone}
        `;
        const ids = contacts.map(({ id }) => id);
        await sql`select app.lock_for_erasing(${id}, ${ids})`;
        await sql`select app.erase_contacts(${id}, ${ids})`;
      });
    }
  });
}

Deno.test("stored events keep no text of an erased person, whether the events arrive before or after the erasure", async () => {
  const [world, person, other] = [await newWorld(), anyPerson(), anyPerson()];
  await withDatabase((sql) =>
    sql`update contacts set ${
      sql({ phone: person.phone, name: person.name, email: person.email })
    } where id = ${world.ana_id}`
  );
  const fixtures = FIXTURES.map((name) => fixtureOf(name.split("_")[0], world, person));
  assert.ok(fixtures.length >= 58, `${fixtures.length} fixtures`);
  const left = (of: Person) => withDatabase((sql) => columnsWith(sql, tracesOf(of)));
  const play = async (bodies: string[], salt: string) => {
    for (const body of bodies) {
      const { status } = await webhook.post(world.app, `${body}${salt}`);
      assert.equal(status, 200, body);
    }
  };
  const both = ofTwo(world, person, other);
  await play([...fixtures, ...madeUp(world, person, HOUR), both], "");
  const before = await left(person);
  for (const column of ["channel_events.body", "messages.content", "waiting_facts.item"]) {
    assert.ok(before.includes(`public.${column}`), `${column} is filled: ${before}`);
  }

  const otherKept = async (when: string) => {
    const kept = await left(other);
    for (const column of ["channel_events.body", "messages.content", "contacts.phone"]) {
      assert.ok(kept.includes(`public.${column}`), `${column} ${when}: ${kept}`);
    }
  };
  await eraseAllBut(world, { ...other, phone: `+${other.wa_id}` });
  assert.deepEqual(await left(person), [], "at once");
  await otherKept("at once");

  // The channel sends the events again, and some events arrive for the first time.
  await play([...fixtures, ...madeUp(world, person, HOUR), both], " ");
  await play(madeUp(world, person, 0), "\n");
  assert.deepEqual(await left(person), [], "later");
  await otherKept("later");
  const contacts =
    await statement`select id from contacts where company_id = ${world.a.id} and erased_at is null`;
  assert.equal(contacts.length, 1, "only the other person's data remains");
});

Deno.test("a large event is checked for erased people when the event is applied", async () => {
  const [world, person, other] = [await newWorld(), anyPerson(), anyPerson()];
  await statement`update contacts set phone = ${person.phone} where id = ${world.ana_id}`;
  await eraseAllBut(world, anyPerson());
  const event = JSON.parse(ofTwo(world, person, other));
  event.entry[0].changes[0].value.messages[0].text.body += "x".repeat(70_000);
  assert.equal((await webhook.post(world.app, JSON.stringify(event))).status, 200);
  assert.deepEqual(await withDatabase((sql) => columnsWith(sql, tracesOf(person))), []);
  const kept = await withDatabase((sql) => columnsWith(sql, tracesOf(other)));
  for (const column of ["channel_events.body", "messages.content", "contacts.phone"]) {
    assert.ok(kept.includes(`public.${column}`), `${column}: ${kept}`);
  }
});

Deno.test("if a person is erased after an event is read but before the event is applied, the erasure also covers that event", async () => {
  const [world, person, other] = [await newWorld(), anyPerson(), anyPerson()];
  await statement`update contacts set phone = ${person.phone} where id = ${world.ana_id}`;
  const bytes = new TextEncoder().encode(ofTwo(world, person, other));
  const [{ stored }] =
    await statement`select store_channel_event(${world.app.app_key}, ${bytes.toBase64()}) as stored`;
  const { items } = whatIsIn(bytes);
  await eraseAllBut(world, anyPerson());
  await withDatabase((sql) =>
    sql`select apply_channel_event(${stored.event_id}, ${sql.json(items as postgres.JSONValue)})`
  );
  assert.deepEqual(await withDatabase((sql) => columnsWith(sql, tracesOf(person))), []);
  const kept = await withDatabase((sql) => columnsWith(sql, tracesOf(other)));
  assert.ok(kept.includes("public.contacts.phone"), String(kept));
});

Deno.test("an erased person who writes again becomes a new contact, and the new data is kept", async () => {
  const [world, person] = [await newWorld(), anyPerson()];
  await statement`update contacts set phone = ${person.phone} where id = ${world.ana_id}`;
  await eraseAllBut(world, anyPerson());
  await asSuperuser((sql) =>
    sql`update app.erased_people set until = until - interval '1 minute' where company_id = ${world.a.id}`
  );
  const value = {
    metadata: { phone_number_id: `${world.shift.numbers}1` },
    contacts: [card(person)],
    messages: [messageOf(person, { text: { body: "Hello again" } })],
  };
  const call = { ...value, messages: undefined, calls: [messageOf(person, { event: "connect" })] };
  for (const [field, each] of Object.entries({ messages: value, calls: call })) {
    const entry = [{ id: world.a.business_account_id, changes: [{ field, value: each }] }];
    const body = JSON.stringify({ object: "whatsapp_business_account", entry });
    assert.equal((await webhook.post(world.app, body)).status, 200);
  }
  const [message, call_] = (await eventsOf(world.app)).map(({ body }) =>
    new TextDecoder().decode(body)
  );
  for (const body of [message, call_]) assert.ok(body.includes(person.name), body);
  const kept = await withDatabase((sql) => columnsWith(sql, tracesOf(person)));
  assert.ok(kept.includes("public.contacts.name") && kept.includes("public.contacts.phone"));
});
