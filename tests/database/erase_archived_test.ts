// The erasure of an archived contact, after another contact got its phone number and user id.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { eventsOf, nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { newCompany } from "../support/company.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import {
  anyPerson,
  card,
  eventOf,
  idWith,
  messageOf,
  type Person,
  statusOf,
} from "./erased_person.ts";

const webhook = await ownWebhook();
const HOUR = 60 * 60;

/**
 * A company in which a contact was archived an hour ago. Another contact has the phone number and
 * the user id of this contact now.
 */
async function passedOn(person: Person) {
  const company = await newCompany();
  const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
  const [archived] = await statement`
    insert into contacts (company_id, phone, archived_at, do_not_contact)
    values (${company.id}, ${person.phone}, now() - interval '1 hour', true) returning id
  `;
  await statement`
    insert into contact_identities (company_id, contact_id, archived_user_id)
    values (${company.id}, ${archived.id}, ${person.user_id})
  `;
  const receive = async (parts: Record<string, unknown>) => {
    const body = eventOf([company.phone_number_id, { contacts: [card(person)], ...parts }]);
    assert.equal((await webhook.post(app, body)).status, 200);
  };
  const says = (text: string, ago: number) => messageOf(person, { text: { body: text } }, ago);
  await receive({ messages: [says("The first message of the next owner", 30 * 60)] });
  const erase = async () => {
    const json = { confirm: archived.id };
    const path = `/contacts/${archived.id}/erase`;
    assert.equal((await call(company.keys.write, "POST", path, { json })).status, 200);
  };
  const texts = async () =>
    (await statement`
      select content from messages where company_id = ${company.id} and direction = 'inbound' order by sent_at
    `).map(({ content }) => content);
  return { company, app, archived, receive, says, erase, texts };
}

Deno.test("erasing an archived contact keeps the stored events of the contact that has the phone number and user id now", async () => {
  const person = anyPerson();
  const { company, app, receive, says, erase, texts } = await passedOn(person);
  // The report waits, because its message is unknown.
  await receive({ statuses: [statusOf(person, idWith(person.wa_id), {}, 60)] });
  const event = eventOf([company.phone_number_id, {
    contacts: [card(person)],
    messages: [says("Before the archiving", 2 * HOUR), says("After the archiving", 60)],
  }]);
  const bytes = new TextEncoder().encode(event);
  const [failed] = await statement`
    insert into channel_events (channel_app_id, body, body_sha256, state, error, next_attempt_at)
    values (${app.id}, ${bytes}, sha256(${bytes}), 'failed', 'Item 1', null) returning id
  `;
  await erase();
  const stored = (await eventsOf(app)).find(({ id }) => id === failed.id)!;
  const { messages } = JSON.parse(new TextDecoder().decode(stored.body)).entry[0].changes[0].value;
  assert.deepEqual(
    messages.map(({ text }: { text: { body: string } }) => text.body),
    ["After the archiving"],
  );
  const waiting = await statement`
    select item ->> 'kind' as kind from waiting_facts where company_id = ${company.id}
  `;
  assert.deepEqual([...waiting], [{ kind: "status" }]);
  assert.deepEqual(await texts(), ["The first message of the next owner"]);
});

Deno.test("after the erasure of an archived contact, older messages and reports of the contact that has its phone number and user id still apply", async () => {
  const person = anyPerson();
  const { company, receive, says, erase, texts } = await passedOn(person);
  await erase();
  await receive({ messages: [says("Before the archiving", 2 * HOUR)] });
  await receive({ messages: [says("After the archiving", 60)] });
  await receive({ statuses: [statusOf(person, idWith(person.wa_id), {}, 60)] });
  assert.deepEqual(await texts(), ["The first message of the next owner", "After the archiving"]);
  const waiting = await statement`
    select item ->> 'kind' as kind from waiting_facts where company_id = ${company.id}
  `;
  assert.deepEqual([...waiting], [{ kind: "status" }]);
});

Deno.test("if no other contact has the phone number, erasing an archived contact erases every stored event about the person", async () => {
  const person = anyPerson();
  const { company, app, says, erase } = await passedOn(person);
  const current = await statement`
    select id from contacts where company_id = ${company.id} and phone_key = app.phone_key(${person.phone})
  `;
  const json = { confirm: current[0].id };
  const path = `/contacts/${current[0].id}/erase`;
  assert.equal((await call(company.keys.write, "POST", path, { json })).status, 200);
  const bytes = new TextEncoder().encode(eventOf([company.phone_number_id, {
    messages: [says("After the archiving", 60)],
  }]));
  const [failed] = await statement`
    insert into channel_events (channel_app_id, body, body_sha256, state, error, next_attempt_at)
    values (${app.id}, ${bytes}, sha256(${bytes}), 'failed', 'Item 1', null) returning id
  `;
  await erase();
  const stored = (await eventsOf(app)).find(({ id }) => id === failed.id)!;
  assert.deepEqual(JSON.parse(new TextDecoder().decode(stored.body)).entry[0].changes, []);
});
