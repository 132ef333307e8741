// An opt-out or an opt-in that the person sent before the erasure, and that arrives after the
// erasure, is kept.
import assert from "node:assert/strict";
import { actAsPerson, type Sql } from "../support/acting_as.ts";
import { call } from "../support/calls.ts";
import { nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { addSentMessage, addTemplate, newCompany } from "../support/company.ts";
import { statement, withDatabase } from "../support/test_stack.ts";
import { overlapping } from "./connections.ts";
import {
  anyPerson,
  columnsWith,
  eventOf,
  idWith,
  messageOf,
  type Person,
  seconds,
  statusOf,
  tracesOf,
} from "./erased_person.ts";

const webhook = await ownWebhook();
const company = await newCompany();
const { keys: { write }, phone_number_id } = company;
const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));

async function receive(body: string) {
  assert.equal((await webhook.post(app, body)).status, 200);
}
const says = (person: Person, text: string, ago: number) =>
  messageOf(person, { text: { body: text } }, ago);
const event = (...messages: unknown[]) => eventOf([phone_number_id, { messages }]);
const prefers = ({ wa_id, user_id }: Person, value: "stop" | "resume", ago: number) =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{
      id: "1",
      changes: [{
        field: "user_preferences",
        value: {
          metadata: { phone_number_id },
          user_preferences: [{
            ...{ wa_id, user_id, category: "marketing_messages" },
            ...{ value, timestamp: seconds(ago) },
          }],
        },
      }],
    }],
  });

async function add({ phone }: Pick<Person, "phone">): Promise<string> {
  const { body, status } = await call(write, "POST", "/contacts", { json: { phone } });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data.id;
}
async function change(id: string, json: Record<string, unknown>) {
  assert.equal((await call(write, "PATCH", `/contacts/${id}`, { json })).status, 200);
}
async function erase(id: string) {
  const json = { confirm: id };
  assert.equal((await call(write, "POST", `/contacts/${id}/erase`, { json })).status, 200);
}
/** Adds a sent message to a contact, in a new conversation. */
async function addSent(contact_id: string, whatsapp_message_id: string, send = {}) {
  await withDatabase(async (sql) => {
    const [conversation] = await sql`
      insert into conversations (company_id, contact_id, messaging_account_id)
      values (${company.id}, ${contact_id}, ${company.account_id}) returning id
    `;
    await addSentMessage(sql, { ...company, conversation_id: conversation.id }, {
      idempotency_key: crypto.randomUUID(),
      ...send,
    }, { whatsapp_message_id });
  });
}
async function contactWith({ phone }: Pick<Person, "phone">): Promise<string> {
  const [{ id }] = await statement`
    select id from contacts where company_id = ${company.id} and phone_key = app.phone_key(${phone})
  `;
  return id;
}
async function wishesOf(id: string) {
  const [contact] = await statement`
    select do_not_contact, do_not_contact_source, do_not_contact_at < now() - interval '50 seconds' as is_old,
      marketing_opt_out, marketing_stop_source
    from contacts where id = ${id}
  `;
  return Object.values(contact);
}

const NONE = [false, null, null, false, null];
const late: [string, (person: Person) => string, unknown[]][] = [
  ["a stop", (person) => event(says(person, "STOP", 60)), [true, "word", true, false, null]],
  [
    "a stop of promotions",
    (person) => event(says(person, "stop promotions", 60)),
    [false, null, null, true, "word"],
  ],
  [
    "the preference for no marketing",
    (person) => prefers(person, "stop", 60),
    [false, null, null, true, "preference"],
  ],
];
for (const [name, sent, wishes] of late) {
  Deno.test(`${name} that arrives after the erasure applies to the person's next contact`, async () => {
    for (const isBack of [false, true]) {
      const person = anyPerson();
      await erase(await add(person));
      const before = isBack && await add(person);
      await receive(sent(person));
      if (!isBack) {
        assert.deepEqual(await withDatabase((sql) => columnsWith(sql, tracesOf(person))), []);
      }
      assert.deepEqual(await wishesOf(before || await add(person)), wishes, `is back: ${isBack}`);
    }
  });
}

Deno.test("a stop that arrives after the erasure applies to the person's next contact that is found by the user id", async () => {
  const person = anyPerson();
  await erase(await add(person));
  await receive(event(says(person, "STOP", 60)));
  const { from: _, ...message } = says(person, "Oi", -1);
  await receive(event({ ...message, id: `wamid.${crypto.randomUUID()}` }));
  const [{ id }] = await statement`
    select contact_id as id from contact_identities where user_id = ${person.user_id}
  `;
  assert.equal((await wishesOf(id))[0], true);
});

Deno.test("a stop that arrives after the erasure applies to the contact that has the phone number as an additional number", async () => {
  const person = anyPerson();
  await erase(await add(person));
  const survivor = await add(anyPerson());
  const json = { from: await add(person) };
  assert.equal((await call(write, "POST", `/contacts/${survivor}/merge`, { json })).status, 200);
  await receive(event(says(person, "STOP", 60)));
  assert.equal((await wishesOf(survivor))[0], true);
});

Deno.test("a stop button of a marketing template that arrives after the erasure stops only marketing", async () => {
  const person = anyPerson();
  const id = await add(person);
  const sentId = `wamid.${crypto.randomUUID()}`;
  await withDatabase(async (sql) => {
    const [{ business }] = await sql`
      select coalesce(business_account_id, '910000000000999') as business from messaging_accounts where id = ${company.account_id}
    `;
    await sql`update messaging_accounts set business_account_id = ${business} where id = ${company.account_id}`;
    await addTemplate(sql, company.id, {
      business_account_id: business,
      name: "promo",
      category: "MARKETING",
    });
  });
  await addSent(id, sentId, { template_name: "promo", language_code: "en_US" });
  await erase(id);
  const button = { type: "button", button: { text: "Stop", payload: "STOP" } };
  await receive(event(messageOf(person, { ...button, context: { id: sentId } }, 60)));
  assert.deepEqual(await wishesOf(await add(person)), [false, null, null, true, "button"]);
});

Deno.test("a marketing opt-out that a report about a failed message contains applies to the person's next contact", async () => {
  for (const isKnown of [true, false]) {
    for (const isBack of [false, true]) {
      const person = anyPerson();
      const id = await add(person);
      const sentId = idWith(person.wa_id);
      if (isKnown) await addSent(id, sentId);
      await erase(id);
      const before = isBack && await add(person);
      const failed = { status: "failed", errors: [{ code: 131050 }], recipient_user_id: undefined };
      await receive(
        eventOf([phone_number_id, { statuses: [statusOf(person, sentId, failed, 60)] }]),
      );
      assert.deepEqual(
        await wishesOf(before || await add(person)),
        [false, null, null, true, "status"],
        `known: ${isKnown}, is back: ${isBack}`,
      );
    }
  }
});

Deno.test("a stop that was applied before the erasure does not apply again when the channel repeats it", async () => {
  const person = anyPerson();
  const id = await add(person);
  const stop = says(person, "STOP", 60);
  await receive(event(stop));
  await change(id, { phone: person.phone, do_not_contact: false });
  await erase(id);
  await receive(event(stop, says(anyPerson(), "Oi", 0)));
  assert.deepEqual(await wishesOf(await add(person)), NONE);
});

Deno.test("a preference for no marketing that ended before the erasure does not apply again when the channel repeats it", async () => {
  const person = anyPerson();
  await receive(prefers(person, "stop", 60));
  const id = await contactWith(person);
  await change(id, { phone: person.phone, marketing_opt_out: false });
  await erase(id);
  await receive(`${prefers(person, "stop", 60)} `);
  assert.deepEqual(await wishesOf(await add(person)), NONE);
});

Deno.test("a late opt-out does not end an opt-in that is older than the erasure and newer than the opt-out", async () => {
  const optOuts: Record<string, (person: Person) => string> = {
    "a stop": (person) => event(says(person, "STOP", 60)),
    "a stop of promotions": (person) => event(says(person, "stop promotions", 60)),
    "a preference": (person) => prefers(person, "stop", 60),
  };
  const optIns: Record<string, (id: string, person: Person) => Promise<unknown>> = {
    "a start": (_, person) => receive(event(says(person, "START", 30))),
    "a preference": (_, person) => receive(prefers(person, "resume", 30)),
    "a manual opt-in": async (id, { phone }) => {
      await change(id, { phone, do_not_contact: true, marketing_opt_out: true });
      await change(id, { phone, do_not_contact: false, marketing_opt_out: false });
    },
  };
  for (const [stop, optOut] of Object.entries(optOuts)) {
    for (const [name, optIn] of Object.entries(optIns)) {
      // A preference is a decision about marketing only.
      if (stop === "a stop" && name === "a preference") continue;
      const person = anyPerson();
      const id = await add(person);
      await optIn(id, person);
      await erase(id);
      const next = await add(person);
      await receive(optOut(person));
      const [isStopped, , , isMarketingStopped] = await wishesOf(next);
      assert.deepEqual([isStopped, isMarketingStopped], [false, false], `${stop}, ${name}`);
      const kept = await statement`
        select wishes from app.kept_wishes
        where company_id = ${company.id}
          and digest = app.erased_digest(${company.id}, 'person', app.phone_key(${person.phone}))
      `;
      assert.deepEqual([...kept], [], `${stop}, ${name}`);
    }
  }
});

Deno.test("an opt-in that arrives after the erasure ends only older opt-outs", async () => {
  const optOuts: Record<string, (person: Person, ago: number) => string> = {
    "a stop": (person, ago) => event(says(person, "STOP", ago)),
    "a stop of promotions": (person, ago) => event(says(person, "stop promotions", ago)),
    "a preference": (person, ago) => prefers(person, "stop", ago),
  };
  const optIns: Record<string, (person: Person) => string> = {
    "a start": (person) => event(says(person, "START", 60)),
    "a preference": (person) => prefers(person, "resume", 60),
  };
  /** The steps: an opt-out, an opt-in, the erasure, and the addition of the next contact. */
  const orders = [
    ["out", "erase", "in", "add"],
    ["out", "erase", "add", "in"],
    ["erase", "out", "in", "add"],
    ["erase", "in", "out", "add"],
    ["erase", "add", "out", "in"],
    ["erase", "add", "in", "out"],
  ];
  for (const [stop, optOut] of Object.entries(optOuts)) {
    for (const [start, optIn] of Object.entries(optIns)) {
      for (const order of orders) {
        for (const ago of [90, 30]) {
          const person = anyPerson();
          let id = await add(person);
          const steps: Record<string, () => Promise<unknown>> = {
            out: () => receive(optOut(person, ago)),
            in: () => receive(optIn(person)),
            erase: () => erase(id),
            add: async () => id = await add(person),
          };
          for (const step of order) await steps[step]();
          const [isStopped, , , isMarketingStopped] = await wishesOf(id);
          // A preference is a decision about marketing only.
          const remains = ago === 30 || stop === "a stop" && start === "a preference";
          const expected = stop === "a stop" ? [remains, false] : [false, remains];
          const name = `${stop}, ${start}, ${order.join(" ")}, ${ago}`;
          assert.deepEqual([isStopped, isMarketingStopped], expected, name);
        }
      }
    }
  }
});

Deno.test("a start that arrives after the erasure does not end a manual opt-out", async () => {
  const person = anyPerson();
  const id = await add(person);
  await change(id, { phone: person.phone, do_not_contact: true });
  await statement`
    update contacts set do_not_contact_at = now() - interval '2 minutes' where id = ${id}
  `;
  await erase(id);
  await receive(event(says(person, "START", 60)));
  const next = await add(person);
  await receive(event(says(person, "START", 50)));
  assert.deepEqual((await wishesOf(next)).slice(0, 2), [true, "manual"]);
});

Deno.test("a tap on a start word that arrives after the erasure ends no opt-out", async () => {
  const person = anyPerson();
  const id = await add(person);
  await receive(event(says(person, "STOP", 90)));
  await erase(id);
  const list_reply = { id: "1", title: "Voltar" };
  const tap = { type: "interactive", interactive: { type: "list_reply", list_reply } };
  await receive(event(messageOf(person, tap, 60)));
  assert.equal((await wishesOf(await add(person)))[0], true);
});

Deno.test("a late stop does not end a later decision about the person's next contact", async () => {
  const person = anyPerson();
  await erase(await add(person));
  const id = await add(person);
  await change(id, { phone: person.phone, do_not_contact: true });
  await change(id, { phone: person.phone, do_not_contact: false });
  await receive(event(says(person, "STOP", 60)));
  assert.equal((await wishesOf(id))[0], false);
});

Deno.test("a late stop does not end a later start of the person, even if the start is the only word of the next contact", async () => {
  const person = anyPerson();
  await erase(await add(person));
  // The erasure was five minutes ago.
  await statement`
    update app.erased_people set until = now() - interval '5 minutes' where company_id = ${company.id}
  `;
  await receive(event(says(person, "START", 60)));
  const id = await contactWith(person);
  await receive(event(says(person, "STOP", 6 * 60)));
  assert.equal((await wishesOf(id))[0], false, "the current contact");
  await change(id, { phone: anyPerson().phone });
  assert.equal((await wishesOf(await add(person)))[0], false, "the next contact");
});

Deno.test("a late stop from the earlier number of an erased person does not apply to the number's next owner", async () => {
  const person = anyPerson();
  const id = await add(person);
  await receive(event(says(person, "Oi", 90)));
  await change(id, { phone: anyPerson().phone });
  const next = await add(person);
  await statement`
    update messages set sent_at = now() - interval '30 seconds'
    where conversation_id in (select id from conversations where contact_id = ${id})
  `;
  await erase(id);
  const { from_user_id: _, ...stop } = says(person, "STOP", 60);
  await receive(event(stop));
  assert.deepEqual(await wishesOf(next), NONE);
});

/** Archives a contact, as if the company had archived it this many seconds ago. */
async function archive(id: string, ago: number) {
  await statement`
    update contacts set archived_at = now() - ${ago} * interval '1 second' where id = ${id}
  `;
}

Deno.test("a stop that was sent before the archiving, and arrives after the erasure of the archived contact, applies to the number's next contact", async () => {
  for (const isErasedBefore of [false, true]) {
    for (const hasUserId of [false, true]) {
      const person = anyPerson();
      const archived = await add(person);
      await archive(archived, 30);
      // The erasure of another contact with the number leaves a hash of the number.
      if (isErasedBefore) await erase(await add(person));
      const id = await add(person);
      await erase(archived);
      const { from_user_id: _, ...stop } = says(person, "STOP", 60);
      await receive(event(hasUserId ? says(person, "STOP", 60) : stop));
      const name = `erased before: ${isErasedBefore}, user id: ${hasUserId}`;
      assert.equal((await wishesOf(id))[0], true, name);
    }
  }
});

/** Applies a stop that the person sent a minute ago. */
const keepStop = ({ phone }: Person) => (sql: Sql) =>
  sql`
    select app.keep_late_wish(
      ${company.id},
      jsonb_build_object(
        'kind', 'message', 'type', 'text', 'word', 'stop', 'id', ${crypto.randomUUID()}::text,
        'at', now() - interval '1 minute', 'person', jsonb_build_object('phone', ${phone}::text)
      ),
      app.erased_among(${company.id}, array[app.phone_key(${phone})])
    )
  `;

Deno.test("a stop that arrives after the erasure applies to a contact that gets the phone number at the same moment", async () => {
  const gets: Record<string, (phone: string) => Promise<(sql: Sql) => Promise<unknown>>> = {
    "a send adds the contact": (phone) =>
      Promise.resolve(async (sql) =>
        await sql`select app.find_or_add_contact(${company.id}, ${phone}, null)`
      ),
    "a user changes the contact's phone number": async (phone) => {
      const id = await add(anyPerson());
      return async (sql) => {
        await actAsPerson(sql, company.member_id);
        await sql`update contacts set phone = ${phone} where id = ${id}`;
      };
    },
  };
  for (const [name, get] of Object.entries(gets)) {
    for (const isFirst of [false, true]) {
      const person = anyPerson();
      await erase(await add(person));
      const works = [keepStop(person), await get(person.phone)];
      const [first, second] = isFirst ? works : works.toReversed();
      await overlapping<unknown, unknown>(first, second);
      const [isStopped] = await wishesOf(await contactWith(person));
      assert.equal(isStopped, true, `${name}, the stop is first: ${isFirst}`);
    }
  }
});

Deno.test("a stop that arrives after the erasure waits for a change of the contact's phone number, and applies to the earlier number", async () => {
  const person = anyPerson();
  await erase(await add(person));
  const id = await add(person);
  await overlapping<unknown, unknown>(
    (sql) => sql`select from contacts where id = ${id} for no key update`,
    keepStop(person),
    { afterwards: (sql) => sql`update contacts set phone = ${anyPerson().phone} where id = ${id}` },
  );
  assert.equal((await wishesOf(id))[0], false);
  assert.equal((await wishesOf(await add(person)))[0], true);
});
