// An erasure reads every event that may belong to its company and may contain the person's data,
// even if the event is not applied yet. An erasure does not wait for other companies' events.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { type ChannelApp, eventsOf, newChannelApp } from "../support/channel_apps.ts";
import { newCompany } from "../support/company.ts";
import { asSuperuser, statement, withDatabase } from "../support/test_stack.ts";
import { companyWithApp } from "../whatsapp_function/told_events.ts";
import {
  anyPerson,
  columnsWith,
  eventOf,
  messageOf,
  type Person,
  tracesOf,
} from "./erased_person.ts";

/** Creates a contact, and returns a function that erases the contact. */
async function erasing({ keys }: Awaited<ReturnType<typeof newCompany>>, { phone }: Person) {
  const { body } = await call(keys.write, "POST", "/contacts", { json: { phone } });
  const { id } = body.data;
  return () => call(keys.write, "POST", `/contacts/${id}/erase`, { json: { confirm: id } });
}

/** Stores an event with a message from the person. The event is not applied. */
async function store({ app_key }: ChannelApp, phone_number_id: string, person: Person) {
  const messages = [messageOf(person, { text: { body: `Sou ${person.name}` } })];
  const body = new TextEncoder().encode(eventOf([phone_number_id, { messages }])).toBase64();
  await statement`select store_channel_event(${app_key}, ${body})`;
}

Deno.test("an erasure does not wait for an event of another company with another app", async () => {
  const { company: slow, app } = await companyWithApp();
  const { company } = await companyWithApp();
  const person = anyPerson();
  const erase = await erasing(company, person);
  await store(app, slow.phone_number_id, person);
  await asSuperuser(async (sql) => {
    await sql.begin(async (sql) => {
      // A transaction that applies an event holds this lock.
      await sql`select from channel_events where channel_app_id = ${app.id} for update`;
      const { status, body } = await erase();
      assert.equal(status, 200, JSON.stringify(body));
    });
  });
  const [event] = await eventsOf(app);
  assert.ok(new TextDecoder().decode(event.body).includes(person.name), "the event is kept");
});

Deno.test("an erasure removes the person from an event that is not applied yet, even if the company's account is not linked to the event's app", async () => {
  const { company, app } = await companyWithApp();
  const [unlinked, unlinkedApp] = [await newCompany(), await newChannelApp()];
  for (const [of, by] of [[company, app], [unlinked, unlinkedApp]] as const) {
    const person = anyPerson();
    const erase = await erasing(of, person);
    await store(by, of.phone_number_id, person);
    // The number in this event is unknown, so the event may belong to any company with this app.
    if (by === app) await store(by, "7000000000000999", person);
    assert.equal((await erase()).status, 200);
    assert.deepEqual(await withDatabase((sql) => columnsWith(sql, tracesOf(person))), []);
  }
});
