// After an erasure, no column of any table identifies the person. The rows are created as in
// production: by the API, by sends, and by channel events. The columns are read from the system
// catalog, so the test covers every new table.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { actAs, actAsPerson, actAsSuperuser, refusal, rolledBack } from "../support/acting_as.ts";
import { call } from "../support/calls.ts";
import { eventsOf, nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { type Company, newCompany, newMember } from "../support/company.ts";
import { sendReply } from "../support/replying.ts";
import { sendTemplate, template } from "../support/sending.ts";
import { snapshot } from "../support/snapshot.ts";
import { until } from "../support/started.ts";
import { asSuperuser, statement, withDatabase } from "../support/test_stack.ts";
import {
  anyPerson,
  card,
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
const encoder = new TextEncoder();

const erase = (company: Company, id: string, headers: Record<string, string> = {}) =>
  call(company.keys.write, "POST", `/contacts/${id}/erase`, { json: { confirm: id }, headers });

/**
 * Creates every kind of row about a person in a company, and returns the ids and events that the
 * tests use.
 */
async function lived(company: Company, person: Person) {
  const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
  const number = company.phone_number_id;
  const post = async (body: string) => {
    assert.equal((await webhook.post(app, body)).status, 200);
    return body;
  };
  const created = await call(company.keys.write, "POST", "/contacts", {
    json: {
      ...{ phone: person.phone, name: person.name, email: person.email },
      ...{ tags: [`vip-${person.mark}`], source: person.name, job_title: person.name },
      ...{ empresa: `${person.name} Ltda`, custom_fields: { mother: person.name } },
    },
    headers: { "Idempotency-Key": `contact-${person.phone}` },
  });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const contactId = created.body.data.id;
  // One batch contains only the person. The other batch contains another person, and its
  // idempotency key contains the first person's phone number in another format.
  const other = [anyPerson().phone, `for-${person.wa_id}`];
  for (const [phone, key] of [[person.phone, `meets-${person.mark}`], other]) {
    const batch = await call(company.keys.write, "POST", "/contacts/batch", {
      json: { items: [{ phone }] },
      headers: { "Idempotency-Key": key },
    });
    assert.equal(batch.status, 200, JSON.stringify(batch.body));
  }
  const [stage_id] = company.stage_ids;
  const deal = await call(company.keys.write, "POST", "/deals", {
    json: { title: `For ${person.name}`, value: 12.5, contact_id: contactId, stage_id },
    headers: { "Idempotency-Key": `deal-${person.email}` },
  });
  assert.equal(deal.status, 201);

  const sendKey = `to-${person.phone}`;
  const sent = await sendTemplate(
    company.keys.messaging,
    template(person.phone, {
      ...{ contact_name: person.name, display_text: `Olá ${person.name}` },
      ...{ body_variables: [person.name, person.phone], idempotency_key: sendKey },
    }),
  );
  assert.equal(sent.body.success, true, JSON.stringify(sent.body));
  const [{ wamid }] =
    await statement`select whatsapp_message_id as wamid from messages where id = ${sent.body.message_id}`;
  const written = messageOf(person, { text: { body: `Sou ${person.name}, ${person.email}` } }, 60);
  const contacts = [card(person)];
  const events = [
    await post(eventOf([number, { contacts, messages: [written] }])),
    await post(eventOf([number, { statuses: [statusOf(person, wamid)] }])),
    await post(eventOf([number, {
      contacts,
      messages: [
        messageOf(person, { type: "reaction", reaction: { message_id: wamid, emoji: "👍" } }),
        messageOf(person, {
          type: "image",
          image: { id: "77", mime_type: "image/png", caption: `${person.name}\u0000`, sha256: "a" },
          context: { id: wamid, from: "15550100" },
        }),
        messageOf(person, {
          type: "edit",
          edit: {
            original_message_id: written.id,
            message: { type: "text", text: { body: `Sou ${person.name}!` } },
          },
        }),
        messageOf(person, {
          type: "contacts",
          contacts: [{ name: { formatted_name: person.name }, phones: [{ wa_id: person.wa_id }] }],
        }),
        messageOf(person, { type: "order", order: { product_items: [{ note: person.name }] } }),
      ],
    }])),
    // These reports wait, because their messages are unknown.
    await post(eventOf([number, {
      contacts,
      statuses: [
        statusOf(person, idWith(person.wa_id), { errors: [{ code: 1, title: person.phone }] }),
      ],
      messages: [
        messageOf(person, {
          type: "reaction",
          reaction: { message_id: idWith(person.wa_id), emoji: "🎉" },
        }),
      ],
    }])),
    // A report with another id, because the message was sent twice.
    await post(eventOf([number, {
      statuses: [
        statusOf(person, idWith(person.wa_id), {
          biz_opaque_callback_data: await markOf(sent.body.message_id),
        }),
      ],
    }])),
  ];
  // The person has not written to the sandbox, so the sandbox refuses the reply. The failure
  // contains the channel's error message.
  const reply = await sendReply(company.keys.messaging, {
    conversation_id: sent.body.conversation_id,
    text: `Bom dia ${person.name}`,
    idempotency_key: `reply-${person.mark}`,
  });
  assert.equal(reply.body.code, "window_closed", JSON.stringify(reply.body));
  const failing = await sendTemplate(company.keys.messaging, template("+15550131026"));
  assert.equal(failing.status, 422);
  const dealId = deal.body.data.id;
  return { app, contactId, dealId, sent: sent.body, sendKey, wamid, events, written, post };
}

async function markOf(messageId: string): Promise<string> {
  return await withDatabase(async (sql) => {
    const [{ mark }] =
      await sql`select id || '.' || attempt as mark from sends where message_id = ${messageId}`;
    return mark;
  });
}

Deno.test("after an erasure, no column of any table identifies the person, and other people's data is kept", async () => {
  const [company, person, other] = [await newCompany(), anyPerson(), anyPerson()];
  const { app, contactId, dealId, sent, sendKey, wamid, events, written, post } = await lived(
    company,
    person,
  );
  const number = company.phone_number_id;
  await withDatabase(async (sql) => {
    // More rows with the person's data, which the requests and events above do not create.
    await sql`
      insert into contact_identity_events (company_id, contact_id, kind, was, becomes, happened_at)
      values (${company.id}, ${contactId}, 'phone_changed', ${person.phone}, ${person.phone}, now())
    `;
    await sql`
      insert into contact_former_phones (company_id, contact_id, phone, until)
      values (${company.id}, ${contactId}, ${`+1202${person.digits}`}, 'infinity')
    `;
    await sql`
      insert into idempotency_keys (company_id, path, key, fingerprint, outcome)
      values (
        ${company.id}, '/contacts', ${`by ${person.mark}`}, 'digest',
        ${sql.json({ results: [{ status: 201, id: contactId }] })}
      )
    `;
    await sql`
      insert into user_id_changes (company_id, was, becomes, phone, happened_at)
      values (${company.id}, ${`BR.was${person.mark}`}, ${`BR.is${person.mark}`}, ${person.phone}, now())
    `;
  });
  // Events that could not be applied. One of these events is about two people.
  const failing = await withDatabase(async (sql) => {
    const body = eventOf([number, {
      contacts: [card(person), card(other)],
      statuses: [statusOf(person, wamid, { status: "read" }), statusOf(other, idWith(other.wa_id))],
      messages: [
        messageOf(person, { text: { body: `É ${person.name}` } }),
        messageOf(other, { text: { body: "\u0000 Não \ud800 sou ninguém \\u0000 😀" } }),
      ],
    }], ["999999999999", { messages: [messageOf(other, { text: { body: "elsewhere" } })] }]);
    const [event] = await sql`
      insert into channel_events (channel_app_id, body, body_sha256, state, error, next_attempt_at, notes)
      values (
        ${app.id}, ${encoder.encode(body)}, sha256(${
      encoder.encode(body)
    }), 'failed', ${`Item 1: ${person.name}`}, null,
        ${[`Double send: send 1 also went out as ${wamid}`]}
      )
      returning id
    `;
    return event.id;
  });
  const before = await withDatabase((sql) => columnsWith(sql, tracesOf(person)));
  const filled = {
    contacts: "phone name_words custom_fields tags",
    deals: "title",
    messages: "content payload whatsapp_message_id original_content",
    sends: "idempotency_key double_sent_ids",
    contact_identities: "user_id",
    waiting_facts: "item",
    channel_events: "body notes",
    idempotency_keys: "key",
    user_id_changes: "phone",
  };
  for (const [table, columns] of Object.entries(filled)) {
    for (const column of columns.split(" ")) {
      assert.ok(before.includes(`public.${table}.${column}`), `${table}.${column}: ${before}`);
    }
  }
  const [counts] = await withDatabase((sql) => countsOf(sql, company.id));

  const earlier = seconds(9);
  const erased = await erase(company, contactId, { "Idempotency-Key": `erase-${person.phone}` });
  assert.equal(erased.status, 200, JSON.stringify(erased.body));
  const { id, phone, name, erased_at } = erased.body.data;
  assert.deepEqual([id, phone, name, typeof erased_at], [contactId, null, null, "string"]);
  const gone = async (when: string) => {
    assert.deepEqual(await withDatabase((sql) => columnsWith(sql, tracesOf(person))), [], when);
  };
  await gone("at once");
  const [left] = await withDatabase((sql) => countsOf(sql, company.id));
  assert.deepEqual(left, counts, "the counts are unchanged");
  const deal = await call(company.keys.read, "GET", `/deals/${dealId}`);
  assert.deepEqual([deal.body.data.title, deal.body.data.value], ["Erased", 12.5]);

  // The channel sends the events again, unchanged and regrouped, and sends late reports.
  const alone = eventOf([number, { contacts: [card(person)], messages: [written] }]);
  for (const body of [...events, alone]) await post(body);
  await post(eventOf([number, {
    statuses: [
      statusOf(
        person,
        wamid,
        { status: "read", errors: [{ code: 131026, title: person.name }] },
        0,
      ),
      statusOf(person, idWith(person.wa_id), {
        biz_opaque_callback_data: await markOf(sent.message_id),
      }, 0),
      statusOf(person, idWith(person.wa_id)),
    ],
  }]));
  const stop = { value: "stop", category: "marketing_messages" };
  await post(JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{
      id: "1",
      changes: [{
        field: "user_preferences",
        value: {
          metadata: { phone_number_id: number },
          contacts: [card(person)],
          user_preferences: [{ wa_id: person.wa_id, ...stop, timestamp: earlier }],
        },
      }],
    }],
  }));
  await gone("after the channel has sent the events again");
  const message = await call(company.keys.read, "GET", `/messages/${sent.message_id}`);
  assert.deepEqual([message.body.data.status, message.body.data.content], ["read", ""]);

  const repeat = await sendTemplate(
    company.keys.messaging,
    template("+15550100999", { idempotency_key: sendKey }),
  );
  assert.deepEqual(
    [repeat.status, repeat.body.message_id, repeat.body.status],
    [200, sent.message_id, "sent"],
  );
  assert.equal(repeat.headers.get("Idempotency-Mismatch"), null);
  const another = await sendTemplate(
    company.keys.messaging,
    template("+15550100999", { idempotency_key: sendKey, template_name: "another" }),
  );
  assert.deepEqual(
    [another.body.code, another.body.details[0].field],
    ["idempotency_key_reused", "template_name"],
  );

  // The failed event still contains the data of the other person.
  await withDatabase((sql) => sql`select replay_channel_events(event_id => ${failing})`);
  const [event] = (await eventsOf(app)).filter(({ id }) => id === failing);
  const body = new TextDecoder().decode(event.body);
  assert.ok(body.includes("elsewhere") && body.includes(other.name));
  const kept = JSON.parse(body).entry[0].changes[0].value;
  assert.equal(kept.messages[0].text.body, "\u0000 Não \ud800 sou ninguém \\u0000 😀");
  assert.deepEqual([kept.messages.length, kept.contacts.length, kept.statuses.length], [1, 1, 2]);
});

Deno.test("an erasure removes the person's earlier phone number, but keeps the messages of the number's next owner", async () => {
  for (const isTaken of [false, true]) {
    const [company, { phone, wa_id, ...person }] = [await newCompany(), anyPerson()];
    const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
    const write = (json: Record<string, unknown>) =>
      call(company.keys.all, "PUT", "/contacts", { json });
    const { id } = (await write({ phone, name: person.name })).body.data;
    // The channel has not assigned an id to this person.
    const parts = (mark: string, ago: number) => ({
      contacts: [{ wa_id, profile: { name: mark } }],
      messages: [{
        ...{ from: wa_id, id: idWith(wa_id), timestamp: seconds(ago) },
        ...{ type: "text", text: { body: `Sou ${mark}` } },
      }],
    });
    const says = async (mark: string, ago: number) => {
      const body = eventOf([company.phone_number_id, parts(mark, ago)]);
      assert.equal((await webhook.post(app, body)).status, 200);
    };
    await says(person.mark, 60);
    const changes = { phone: anyPerson().phone };
    const changed = await call(company.keys.write, "PATCH", `/contacts/${id}`, { json: changes });
    assert.equal(changed.status, 200);
    const next = anyPerson();
    if (isTaken) await says(next.mark, 0);
    assert.equal((await erase(company, id)).status, 200);

    const { digits, mark } = person;
    const left = (mark: string, digits: string) =>
      withDatabase((sql) => columnsWith(sql, tracesOf({ mark, digits })));
    if (!isTaken) assert.deepEqual(await left(mark, digits), []);
    else {
      assert.deepEqual(await left(mark, next.digits), []);
      const kept = await left(next.mark, next.digits);
      assert.ok(
        kept.includes("public.channel_events.body") && kept.includes("public.messages.content"),
      );
    }
  }
});

async function countsOf(sql: postgres.Sql, company_id: string) {
  return await sql`
    select
      (select count(*) from messages where company_id = ${company_id}) as messages,
      (select count(*) from sends where company_id = ${company_id}) as sends,
      (select count(*) from conversations where company_id = ${company_id}) as conversations,
      (select count(*) from deals where company_id = ${company_id}) as deals,
      (select count(*) from contacts where company_id = ${company_id}) as contacts,
      (select count(*) from channel_events) > 0 as events
  `;
}

Deno.test("an interrupted erasure deletes nothing", async () => {
  const company = await newCompany();
  const { contact_id, conversation_id } = company;
  const before = await snapshot(company.id);
  await withDatabase(async (holding) => {
    await holding.begin(async (holding) => {
      // The erasure locks this row last.
      await holding`select from conversations where id = ${conversation_id} for update`;
      const [{ pid }] = await holding`select pg_backend_pid() as pid`;
      const erasing = erase(company, contact_id);
      await asSuperuser(async (sql) => {
        await until(async () =>
          (await sql`
            select pg_terminate_backend(waiting.pid) from pg_stat_activity as waiting
            where ${pid} = any (pg_blocking_pids(waiting.pid))
          `).length > 0
        );
      });
      assert.equal((await erasing).status, 503);
    });
  });
  const after = await snapshot(company.id);
  delete before.api_keys;
  delete after.api_keys;
  assert.deepEqual(after, before);
  assert.equal((await erase(company, contact_id)).status, 200);
});

Deno.test("of a company's users, only owners and admins can erase a contact, and no user can undo an erasure", async () => {
  const [own, other] = [await newCompany(), await newCompany()];
  await rolledBack(async (sql) => {
    const agent = await newMember(sql, own.id, "agent");
    const admin = await newMember(sql, own.id, "admin");
    const stranger = await newMember(sql, other.id, "admin");
    const erasing = (sql: postgres.TransactionSql) =>
      sql`select erase_contact(${own.contact_id}) as erased`;
    for (const person of [agent, stranger, crypto.randomUUID()]) {
      await actAsPerson(sql, person);
      assert.equal(await refusal(sql, erasing), "PT404");
    }
    for (const role of ["anon", "service_role", "api_reader"] as const) {
      await actAs(sql, role, {});
      assert.equal(await refusal(sql, erasing), "42501", role);
    }
    for (const person of [agent, admin]) {
      await actAsPerson(sql, person);
      for (const change of ["erased_at = now()", "has_identity = true"]) {
        const writing = (sql: postgres.TransactionSql) =>
          sql.unsafe(`update contacts set ${change} where id = '${own.contact_id}'`);
        assert.equal(await refusal(sql, writing), "42501", change);
      }
      for (const table of ["app.erasure_key", "app.erased_people", "app.kept_wishes"]) {
        assert.equal(await refusal(sql, (sql) => sql.unsafe(`select * from ${table}`)), "42501");
      }
    }
    await actAsPerson(sql, admin);
    const [{ erased }] = await erasing(sql);
    assert.deepEqual([erased.data.id, erased.data.phone], [own.contact_id, null]);
    const back = (sql: postgres.TransactionSql) =>
      sql`update contacts set name = 'Ada', phone = '+15550100' where id = ${own.contact_id}`;
    assert.equal(await refusal(sql, back), "PT404");
    const messages =
      await sql`update contacts set archived_at = null where id = ${other.contact_id}`;
    assert.equal(messages.count, 0, "the other company's contact is not visible");
  });
});

Deno.test("an erasure searches once for the person's identifiers and idempotency keys, and a second erasure replaces only its own idempotency key", async () => {
  const { id, contact_id, member_id } = await newCompany();
  await rolledBack(async (sql) => {
    await sql`set local track_functions = 'all'`;
    const searches = async () => {
      const rows = await sql`
        select funcname as name, calls::int from pg_stat_xact_user_functions
        where funcname in ('names_of_contacts', 'erase_idempotency_keys') order by 1
      `;
      return rows.map(({ name, calls }) => [name, calls]);
    };
    const path = `/contacts/${contact_id}/erase`;
    for (const key of ["first", "second"]) {
      await actAsPerson(sql, member_id);
      const idempotency = sql.json({ path, key, fingerprint: "same" });
      const [{ answer }] = await sql`select erase_contact(${contact_id}, ${idempotency}) as answer`;
      const [{ again }] = await sql`select erase_contact(${contact_id}, ${idempotency}) as again`;
      assert.deepEqual([answer.replayed, again.replayed], [false, true]);
      await actAsSuperuser(sql);
      assert.deepEqual(await searches(), [["erase_idempotency_keys", 1], ["names_of_contacts", 1]]);
    }
    const keys = await sql`select key, fingerprint from idempotency_keys where company_id = ${id}`;
    assert.equal(keys.length, 2);
    for (const { key, fingerprint } of keys) {
      assert.match(`${key} ${fingerprint}`, /^erased\.[0-9a-f]{64} erased\.[0-9a-f]{64}$/);
    }
  });
});

Deno.test("one company's erasure keeps another company's rows, even if both companies share an event", async () => {
  const [one, other, person] = [await newCompany(), await newCompany(), anyPerson()];
  const app = await withDatabase(async (sql) => {
    const app = await nameChannelApp(sql, one.account_id);
    await sql`update messaging_accounts set channel_app_id = ${app.id} where id = ${other.account_id}`;
    return app;
  });
  const wish = { do_not_contact: true, phone: person.phone };
  const [own, theirs] = await Promise.all(
    [one, other].map(async ({ keys }) =>
      (await call(keys.write, "POST", "/contacts", { json: wish })).body.data.id
    ),
  );
  const messages = [messageOf(person, { text: { body: `Sou ${person.name}` } })];
  const parts = { contacts: [card(person)], messages };
  const body = eventOf([one.phone_number_id, parts], [other.phone_number_id, {
    ...parts,
    messages: [{ ...messages[0], id: idWith(person.wa_id) }],
  }]);
  assert.equal((await webhook.post(app, body)).status, 200);
  await erase(one, own);
  const [event] = await eventsOf(app);
  const told = JSON.parse(new TextDecoder().decode(event.body)).entry;
  assert.deepEqual(told.map(({ changes }: { changes: unknown[] }) => changes.length), [0, 1]);
  const { body: kept } = await call(other.keys.read, "GET", `/contacts/${theirs}`);
  assert.equal(kept.data.phone, person.phone);
  const { body: said } = await call(other.keys.read, "GET", `/search?q=${person.mark}`);
  assert.ok(said.data.length > 0);
  await erase(other, theirs);
  await withDatabase(async (sql) => {
    assert.deepEqual(await columnsWith(sql, tracesOf(person)), []);
    const digests = await sql`
      select digest from app.kept_wishes where company_id in (${one.id}, ${other.id})
    `;
    assert.equal(new Set(digests.map(({ digest }) => digest)).size, digests.length);
    // Anyone could find the phone number behind a plain digest by trying all phone numbers.
    const known = `person ${person.phone}`;
    for (const text of [person.phone, known, `${one.id} ${known}`]) {
      const [{ plain }] =
        await sql`select encode(sha256(convert_to(${text}, 'UTF8')), 'hex') as plain`;
      assert.ok(!digests.some(({ digest }) => digest.includes(plain)));
    }
  });
});

Deno.test("an erasure keeps only an HMAC-SHA-256 of the phone number, and no role can read the HMAC's key", async () => {
  await rolledBack(async (sql) => {
    const id = crypto.randomUUID();
    const [{ inner_pad, digest }] = await sql`
      select inner_pad, app.erased_digest(${id}, 'person', '+15550100') as digest from app.erasure_key
    `;
    const secret = Uint8Array.from(inner_pad as Uint8Array, (byte) => byte ^ 0x36);
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", secret, hmac, false, ["sign"]);
    const signed = await crypto.subtle.sign("HMAC", key, encoder.encode(`${id} person +15550100`));
    assert.equal(digest, `erased.${new Uint8Array(signed).toHex()}`);
    const people = ["anon", "authenticated", "service_role"] as const;
    const readings = [
      ...["select * from app.erasure_key", "select * from app.erased_people"],
      `select app.erased_digest('${id}', 'person', '+1')`,
    ];
    for (const role of [...people, "api_client", "api_reader", "channel_client"] as const) {
      await actAs(sql, role, {});
      for (const reading of readings) {
        const refused = await refusal(sql, (sql) => sql.unsafe(reading));
        assert.equal(refused, "42501", `${role} ${reading}`);
      }
      await actAsSuperuser(sql);
    }
  });
});

Deno.test("the digests of an erased contact are kept as long as the channel can send reports about messages to the contact", async () => {
  await rolledBack(async (sql) => {
    const { id } = await newCompany();
    // The channel tries to deliver a message for 30 days, and repeats its reports for 7 more days.
    for (const days of [37, 46]) {
      await sql`
        insert into app.erased_people (company_id, digest, until, erased_at)
        select ${id}, app.erased_digest(${id}, 'person', ${`${days} days`}), at, at
        from (select now() - ${days} * interval '1 day' as at) as erased
      `;
    }
    await sql`select app.forget_erased_people(1000)`;
    const left = await sql`
      select digest = app.erased_digest(${id}, 'person', '37 days') as is_recent
      from app.erased_people where company_id = ${id}
    `;
    assert.deepEqual([...left], [{ is_recent: true }]);
  });
});
