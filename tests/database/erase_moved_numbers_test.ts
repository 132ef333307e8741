// A business number moved from one company to another. The erasure of a person by the former
// company changes nothing of the company that has the number now.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import {
  addChannelApp,
  type ChannelApp,
  eventsOf,
  nameChannelApp,
  ownWebhook,
} from "../support/channel_apps.ts";
import { addMessage, addSentMessage, connectAccount, newCompany } from "../support/company.ts";
import { asSuperuser, statement, withDatabase } from "../support/test_stack.ts";
import {
  anyPerson,
  card,
  columnsWith,
  eventOf,
  idWith,
  messageOf,
  type Person,
  statusOf,
  tracesOf,
} from "./erased_person.ts";

const webhook = await ownWebhook();
const DAY = 24 * 60 * 60;

/**
 * Two companies with the same person as a contact. The former company disconnected its number 30
 * days ago. The present company connected the number ten days later, with the same app.
 */
async function moved(person: Person) {
  const [former, present] = [await newCompany(), await newCompany()];
  const number = former.phone_number_id;
  const { app, conversation_id } = await withDatabase(async (sql) => {
    const app = await nameChannelApp(sql, former.account_id);
    await sql`
      update messaging_accounts set disconnected_at = now() - interval '30 days', encrypted_token = null
      where id = ${former.account_id}
    `;
    await sql`
      update account_connections set connected_at = now() - interval '60 days'
      where account_id = ${former.account_id}
    `;
    const account = await connectAccount(sql, present.id, { phone_number_id: number });
    await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${account.id}`;
    await sql`
      update account_connections set connected_at = now() - interval '20 days'
      where account_id = ${account.id}
    `;
    const [conversation] = await sql`
      insert into conversations (company_id, contact_id, messaging_account_id)
      values (${present.id}, ${present.contact_id}, ${account.id}) returning id
    `;
    return { app, conversation_id: conversation.id };
  });
  const { body, status } = await call(former.keys.write, "POST", "/contacts", {
    json: { phone: person.phone, name: person.name },
  });
  assert.equal(status, 201, JSON.stringify(body));
  const id = body.data.id;
  return { app, number, former, present: { ...present, conversation_id }, contact_id: id };
}
type Moved = Awaited<ReturnType<typeof moved>>;

/** The former company erases its contact. */
async function erase({ former, contact_id: id }: Moved) {
  const json = { confirm: id };
  const { status } = await call(former.keys.write, "POST", `/contacts/${id}/erase`, { json });
  assert.equal(status, 200);
}

/** Stores an event that is not applied yet, and returns its id. */
async function store({ id }: ChannelApp, body: string): Promise<string> {
  const bytes = new TextEncoder().encode(body);
  const [event] = await statement`
    insert into channel_events (channel_app_id, body, body_sha256, state, next_attempt_at)
    values (${id}, ${bytes}, sha256(${bytes}), 'stored', null) returning id
  `;
  return event.id;
}

/**
 * Returns the `value` of the first change in the newest event of an app, or undefined if the event
 * has no change.
 */
async function partsOf(app: ChannelApp) {
  const event = (await eventsOf(app)).at(-1)!;
  return JSON.parse(new TextDecoder().decode(event.body)).entry[0].changes[0]?.value;
}

async function receive(app: ChannelApp, body: string) {
  const { status } = await webhook.post(app, body);
  assert.equal(status, 200);
}

const says = (person: Person, text: string, ago: number) =>
  messageOf(person, { text: { body: text } }, ago);

Deno.test("a stored message to the company that has the number now is kept, and an earlier message to the former company is erased", async () => {
  const person = anyPerson();
  const companies = await moved(person);
  const { app, number } = companies;
  const own = says(person, "To the present company", 5);
  const event = eventOf([number, {
    contacts: [card(person)],
    messages: [
      says(person, "Before any company had the number", 70 * DAY),
      says(person, "To the former company", 40 * DAY),
      says(person, "Between the two companies", 25 * DAY),
      own,
    ],
    unread: { by: person.name },
  }]);
  await store(app, event);
  await erase(companies);
  const { metadata, contacts, messages, unread } = await partsOf(app);
  assert.deepEqual([metadata.phone_number_id, contacts, messages, unread], [
    ...[number, [card(person)], [own], undefined],
  ]);
});

Deno.test("the former company's erasure does not change an event of the company that has the number now, whether or not the event is applied", async () => {
  for (const state of ["stored", "done"]) {
    const person = anyPerson();
    const companies = await moved(person);
    const { app, number } = companies;
    const parts = { contacts: [card(person)], messages: [says(person, "Oi", 5)] };
    const [read, unread] = [
      eventOf([number, { ...parts, unread: { by: person.name } }]),
      eventOf([
        number,
        { ...parts, messages: [says(person, "Oi", 5)] },
      ]).replace('"field":"messages"', '"field":"of_2031"'),
    ];
    const ids = [await store(app, read), await store(app, unread)];
    await statement`
      update channel_events set state = ${state}, person_marks = app.marks_of_event(body)
      where channel_app_id = ${app.id}
    `;
    await erase(companies);
    const kept = await eventsOf(app);
    assert.deepEqual(
      ids.map((id) => new TextDecoder().decode(kept.find((event) => event.id === id)!.body)),
      [read, unread],
      state,
    );
  }
});

Deno.test("after the former company's erasure, a message to the company that has the number now is stored", async () => {
  const person = anyPerson();
  const companies = await moved(person);
  const { app, number, present, former } = companies;
  await erase(companies);
  await receive(
    app,
    eventOf([number, {
      contacts: [card(person)],
      messages: [
        says(person, "To the former company", 40 * DAY),
        says(person, `To the present company: ${person.mark}`, 60),
      ],
    }]),
  );
  const stored = await statement`
    select company_id, content from messages where company_id in (${former.id}, ${present.id})
  `;
  assert.deepEqual([...stored], [
    { company_id: present.id, content: `To the present company: ${person.mark}` },
  ]);
});

Deno.test("after the former company's erasure, a report about a message of the company that has the number now is applied", async () => {
  const person = anyPerson();
  const companies = await moved(person);
  const { app, number, present } = companies;
  const [known, marked, reacted] = [1, 2, 3].map(() => idWith(person.wa_id));
  const { sent, pending, inbound, mark } = await asSuperuser(async (sql) => {
    const sent = await addSentMessage(sql, present, { idempotency_key: "1" }, {
      whatsapp_message_id: known,
    });
    const pending = await addSentMessage(sql, present, {
      ...{ idempotency_key: "2", state: "pending" },
    });
    const inbound = await addMessage(sql, present, {});
    await sql`
      update messages set own_reaction_whatsapp_id = ${reacted},
        own_reaction = ${sql.json({ emoji: "👍", at: new Date().toISOString() })}
      where id = ${inbound}
    `;
    const [{ mark }] = await sql`
      select id || '.' || attempt as mark from sends where message_id = ${pending}
    `;
    return { sent, pending, inbound, mark };
  });
  const reports = [
    statusOf(person, known),
    statusOf(person, marked, { biz_opaque_callback_data: mark }),
    statusOf(person, reacted, { status: "failed", errors: [{ code: 131026 }] }),
  ];
  const event = eventOf([number, { contacts: [card(person)], statuses: reports }]);
  await store(app, event);
  const parts = await partsOf(app);
  await erase(companies);
  assert.deepEqual(await partsOf(app), parts, "the stored event is unchanged");

  await receive(app, `${event} `);
  const messages = await statement`
    select id, status, own_reaction from messages where company_id = ${present.id} order by created_at, id
  `;
  assert.deepEqual(
    [sent, pending, inbound].map((id) => messages.find((message) => message.id === id)).map(
      (message) => [message!.status, message!.own_reaction],
    ),
    [["delivered", null], ["delivered", null], [null, null]],
  );
});

Deno.test("a report or a message whose company is unknown is erased with the person", async () => {
  const person = anyPerson();
  const companies = await moved(person);
  const { app, number, former } = companies;
  // The account of the present company is not linked to this app.
  const other = await withDatabase((sql) => addChannelApp(sql));
  await statement`
    insert into account_channel_apps (company_id, account_id, channel_app_id)
    values (${former.id}, ${former.account_id}, ${other.id})
  `;
  const report = eventOf([number, {
    contacts: [card(person)],
    statuses: [statusOf(person, idWith(person.wa_id))],
  }]);
  const message = eventOf([number, {
    contacts: [card(person)],
    messages: [says(person, "Oi", 5)],
  }]);
  const timeless = eventOf([number, { unread: { by: person.name, from: person.wa_id } }]);
  await store(app, report);
  await store(app, timeless);
  await store(other, message);
  await erase(companies);
  const gone = async () =>
    assert.deepEqual(await withDatabase((sql) => columnsWith(sql, tracesOf(person))), []);
  await gone();
  for (const body of [report, timeless]) await receive(app, `${body} `);
  await receive(other, `${message} `);
  await gone();
});
