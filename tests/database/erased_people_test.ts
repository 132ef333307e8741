// A person who is erased is gone from every column of every table. The rows are made as they are in life: by the API, by
// sends, and by events of the channel. The columns come from the catalogue, so a new table is covered at once.
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
import { asSuperuser, withDatabase } from "../support/test_stack.ts";

const webhook = await ownWebhook();
const encoder = new TextEncoder();

/** A person whom nobody else is called like. */
function anyPerson() {
  const random = crypto.getRandomValues(new Uint32Array(1))[0].toString().padStart(10, "0");
  // An old Brazilian mobile, which has two spellings.
  const digits = `9${random.slice(-7)}`;
  // No digest has it by chance.
  const mark = `zq${crypto.randomUUID().slice(0, 8)}`;
  return {
    phone: `+55119${digits}`,
    // As the channel writes it.
    wa_id: `5511${digits}`,
    user_id: `BR.${mark}${digits}`,
    name: `Zoë ${mark} Quirino`,
    email: `zoe.${mark}@example.com`,
    digits,
    mark,
  };
}
type Person = ReturnType<typeof anyPerson>;

/** An id of the channel, which has the phone in it. */
function idWith(wa_id: string): string {
  const bytes = [0x1c, 0x18, wa_id.length, ...encoder.encode(wa_id), 0x15, 0x02, 0x00, 0x12];
  const unique = crypto.getRandomValues(new Uint8Array(12));
  return `wamid.${new Uint8Array([...bytes, ...unique]).toBase64()}`;
}

/** An event about numbers of companies, with these parts of each. */
function eventOf(...changes: [phone_number_id: string, parts: Record<string, unknown>][]): string {
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: changes.map(([phone_number_id, parts]) => ({
      id: "910000000000999",
      changes: [{ field: "messages", value: { metadata: { phone_number_id }, ...parts } }],
    })),
  });
}

const seconds = (ago = 0) => String(Math.floor(Date.now() / 1000) - ago);
const card = ({ wa_id, user_id, name }: Person) => ({ wa_id, user_id, profile: { name } });
const messageOf = ({ wa_id, user_id }: Person, more: Record<string, unknown>, ago = 5) => ({
  ...{ from: wa_id, from_user_id: user_id, id: idWith(wa_id), timestamp: seconds(ago) },
  ...{ type: "text", ...more },
});
const statusOf = (person: Person, id: string, more: Record<string, unknown> = {}, ago = 5) => ({
  ...{ id, recipient_id: person.wa_id, recipient_user_id: person.user_id, timestamp: seconds(ago) },
  ...{ status: "delivered", ...more },
});

/**
 * All texts that say who the person is, in small letters: in every spelling, in base64, and as bytes of these. Texts
 * are found many times as fast as a pattern of them.
 */
function tracesOf({ digits, mark }: Pick<Person, "digits" | "mark">): string[] {
  const texts = [`11${digits}`, `119${digits}`, `1202${digits}`, mark];
  // Of base64, each of the three ways in which the bytes may stand to its groups of three.
  const base64 = texts.flatMap((text) =>
    [0, 1, 2].map((shift) => {
      const bytes = new Uint8Array([...new Uint8Array(shift), ...encoder.encode(text)]);
      return bytes.toBase64().slice(shift === 0 ? 0 : 4, Math.floor(bytes.length / 3) * 4);
    })
  );
  const spelled = [...texts, ...base64].flatMap((text) => [text, encoder.encode(text).toHex()]);
  return spelled.map((text) => text.toLowerCase());
}

/** The columns of all tables that have one of these texts: `table.column`. */
async function columnsWith(sql: postgres.Sql, traces: string[]): Promise<string[]> {
  const tables = await sql`
    select nspname || '.' || relname as name, array_agg(attname::text order by attname) as columns
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in ('public', 'app') and relkind in ('r', 'p') and attnum > 0 and not attisdropped
    group by 1 order by 1
  `;
  const found = [];
  // Bytes are hexadecimal in the text of a row.
  const hasTrace = (text: string) =>
    `(select bool_or(strpos(text, trace) > 0) from lower(${text}) as text, unnest($1::text[]) as trace)`;
  for (const { name, columns } of tables) {
    const rows = await sql.unsafe(
      `select ${
        columns.map((column: string) => `bool_or(${hasTrace(`"${column}"::text`)}) as "${column}"`)
      } from (select * from ${name} as t where ${hasTrace("t::text")} offset 0) as having_it`,
      [traces as unknown as string],
    );
    found.push(
      ...columns.filter((column: string) => rows[0][column]).map((column: string) =>
        `${name}.${column}`
      ),
    );
  }
  return found;
}

const erase = (company: Company, id: string, headers: Record<string, string> = {}) =>
  call(company.keys.write, "POST", `/contacts/${id}/erase`, { json: { confirm: id }, headers });

/** A person of a company with everything that life leaves of one, and what it made. */
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
  const deal = await call(company.keys.write, "POST", "/deals", {
    json: {
      title: `For ${person.name}`,
      value: 12.5,
      contact_id: contactId,
      stage_id: company.stage_ids[0],
    },
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
  const [{ wamid }] = await withDatabase((sql) =>
    sql`select whatsapp_message_id as wamid from messages where id = ${sent.body.message_id}`
  );
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
    // What waits for messages that nobody knows.
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
    // A report under another id: it went out twice.
    await post(eventOf([number, {
      statuses: [
        statusOf(person, idWith(person.wa_id), {
          biz_opaque_callback_data: await markOf(sent.body.message_id),
        }),
      ],
    }])),
  ];
  // The sandbox has not heard the person, so it refuses: a failure with the channel's words.
  const reply = await sendReply(company.keys.messaging, {
    conversation_id: sent.body.conversation_id,
    text: `Bom dia ${person.name}`,
    idempotency_key: `reply-${person.mark}`,
  });
  assert.equal(reply.body.code, "window_closed", JSON.stringify(reply.body));
  const failing = await sendTemplate(company.keys.messaging, template("+15550131026"));
  assert.equal(failing.status, 422);
  return {
    app,
    contactId,
    dealId: deal.body.data.id,
    sent: sent.body,
    sendKey,
    wamid,
    events,
    written,
    post,
  };
}

async function markOf(messageId: string): Promise<string> {
  return await withDatabase(async (sql) => {
    const [{ mark }] =
      await sql`select id || '.' || attempt as mark from sends where message_id = ${messageId}`;
    return mark;
  });
}

Deno.test("after an erasing, no column of any table says who the person was, and what others said stays", async () => {
  const [company, person, other] = [await newCompany(), anyPerson(), anyPerson()];
  const { app, contactId, dealId, sent, sendKey, wamid, events, written, post } = await lived(
    company,
    person,
  );
  const number = company.phone_number_id;
  await withDatabase(async (sql) => {
    // What the channel knows of a person.
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
  // Events that could not be applied: one tells of two people.
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
  for (
    const column of [
      ...[
        "contacts.phone",
        "contacts.name_words",
        "contacts.custom_fields",
        "contacts.tags",
        "deals.title",
      ],
      ...[
        "messages.content",
        "messages.payload",
        "messages.whatsapp_message_id",
        "messages.original_content",
      ],
      ...[
        "sends.idempotency_key",
        "sends.double_sent_ids",
        "contact_identities.user_id",
        "waiting_facts.item",
      ],
      ...[
        "channel_events.body",
        "channel_events.notes",
        "idempotency_keys.key",
        "user_id_changes.phone",
      ],
    ]
  ) {
    assert.ok(before.includes(`public.${column}`), `${column} is filled: ${before}`);
  }
  const [counts] = await withDatabase((sql) => countsOf(sql, company.id));

  const erased = await erase(company, contactId, { "Idempotency-Key": `erase-${person.phone}` });
  assert.equal(erased.status, 200, JSON.stringify(erased.body));
  assert.deepEqual(
    [
      erased.body.data.id,
      erased.body.data.phone,
      erased.body.data.name,
      typeof erased.body.data.erased_at,
    ],
    [contactId, null, null, "string"],
  );
  const gone = async (when: string) => {
    assert.deepEqual(await withDatabase((sql) => columnsWith(sql, tracesOf(person))), [], when);
  };
  await gone("at once");
  const [left] = await withDatabase((sql) => countsOf(sql, company.id));
  assert.deepEqual(left, counts, "what is counted stays");
  const deal = await call(company.keys.read, "GET", `/deals/${dealId}`);
  assert.deepEqual([deal.body.data.title, deal.body.data.value], ["Erased", 12.5]);

  // Told again, as it was and regrouped, and reported late.
  for (
    const body of [...events, eventOf([number, { contacts: [card(person)], messages: [written] }])]
  ) await post(body);
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
  await post(JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{
      id: "1",
      changes: [{
        field: "user_preferences",
        value: {
          metadata: { phone_number_id: number },
          contacts: [card(person)],
          user_preferences: [{
            wa_id: person.wa_id,
            value: "stop",
            category: "marketing_messages",
            timestamp: seconds(9),
          }],
        },
      }],
    }],
  }));
  await gone("after what was told again");
  const message = await call(company.keys.read, "GET", `/messages/${sent.message_id}`);
  assert.deepEqual([message.body.data.status, message.body.data.content], ["read", ""]);

  const repeat = await sendTemplate(
    company.keys.messaging,
    template("+15550100999", { idempotency_key: sendKey }),
  );
  assert.deepEqual(
    [
      repeat.status,
      repeat.body.message_id,
      repeat.body.status,
      repeat.headers.get("Idempotency-Mismatch"),
    ],
    [200, sent.message_id, "sent", null],
  );

  // The other person's part of the event that had failed.
  await withDatabase((sql) => sql`select replay_channel_events(event_id => ${failing})`);
  const [event] = (await eventsOf(app)).filter(({ id }) => id === failing);
  const body = new TextDecoder().decode(event.body);
  assert.ok(body.includes("elsewhere") && body.includes(other.name));
  const kept = JSON.parse(body).entry[0].changes[0].value;
  assert.equal(kept.messages[0].text.body, "\u0000 Não \ud800 sou ninguém \\u0000 😀");
  assert.deepEqual([kept.messages.length, kept.contacts.length, kept.statuses.length], [1, 1, 2]);
});

Deno.test("a phone that the company has replaced is erased too, but not what its next owner said", async () => {
  for (const isTaken of [false, true]) {
    const [company, { phone, wa_id, ...person }] = [await newCompany(), anyPerson()];
    const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
    const write = (json: Record<string, unknown>) =>
      call(company.keys.all, "PUT", "/contacts", { json });
    const { id } = (await write({ phone, name: person.name })).body.data;
    // The person has no id at the channel.
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

Deno.test("an erasing that is ended in its middle has erased nothing", async () => {
  const company = await newCompany();
  const { contact_id, conversation_id } = company;
  const before = await snapshot(company.id);
  await withDatabase(async (holding) => {
    await holding.begin(async (holding) => {
      // The last of its locks, which it waits for.
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

Deno.test("people erase as owners and admins of the company, and nobody goes around that", async () => {
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
      for (const table of ["app.erasure_key", "app.erased_people"]) {
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
    assert.equal(messages.count, 0, "another company's contact is not there");
  });
});

Deno.test("what one company erases, another one keeps, also of one event, and their digests differ", async () => {
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
      select digest from app.erased_people where company_id in (${one.id}, ${other.id}) and wishes is not null
    `;
    assert.equal(new Set(digests.map(({ digest }) => digest)).size, digests.length);
    // A digest of the phone alone would be found by trying all phones.
    for (
      const text of [person.phone, `person ${person.phone}`, `${one.id} person ${person.phone}`]
    ) {
      const [{ plain }] =
        await sql`select encode(sha256(convert_to(${text}, 'UTF8')), 'hex') as plain`;
      assert.ok(!digests.some(({ digest }) => digest.includes(plain)));
    }
  });
});

Deno.test("what is left of a phone is an HMAC with SHA-256, whose key no role reads", async () => {
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
    for (
      const role of [
        "anon",
        "authenticated",
        "service_role",
        "api_client",
        "api_reader",
        "channel_client",
      ] as const
    ) {
      await actAs(sql, role, {});
      for (
        const reading of [
          "select * from app.erasure_key",
          "select * from app.erased_people",
          `select app.erased_digest('${id}', 'person', '+1')`,
        ]
      ) {
        assert.equal(
          await refusal(sql, (sql) => sql.unsafe(reading)),
          "42501",
          `${role} ${reading}`,
        );
      }
      await actAsSuperuser(sql);
    }
  });
});
