// A person who is erased is gone from every column of every table. The rows are made as they are in life: by the API, by
// sends, and by events of the channel. The columns come from the catalogue, so a new table is covered at once.
import assert from "node:assert/strict";
import type postgres from "postgres";
import { call } from "../support/calls.ts";
import { eventsOf, nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { type Company, newCompany } from "../support/company.ts";
import { sendReply } from "../support/replying.ts";
import { sendTemplate, template } from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

const webhook = await ownWebhook();
const encoder = new TextEncoder();

/** A person whom nobody else is called like. */
function anyPerson() {
  const random = crypto.getRandomValues(new Uint32Array(1))[0].toString().padStart(10, "0");
  // An old Brazilian mobile, which has two spellings.
  const digits = `9${random.slice(-7)}`;
  const mark = crypto.randomUUID().slice(0, 8);
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

/** All texts that say who the person is, in every spelling, and all that holds bytes of them. */
function traces({ digits, mark }: Person): string[] {
  const texts = [digits, mark];
  // Of base64, each of the three ways in which the bytes may stand to its groups of three.
  const base64 = texts.flatMap((text) =>
    [0, 1, 2].map((shift) => {
      const bytes = new Uint8Array([...new Uint8Array(shift), ...encoder.encode(text)]);
      return bytes.toBase64().slice(shift === 0 ? 0 : 4, Math.floor(bytes.length / 3) * 4);
    })
  );
  return [...texts, ...base64, ...texts.map((text) => encoder.encode(text).toHex())];
}

/** The columns of all tables that have one of these texts: `table.column`, each once. */
async function columnsWith(sql: postgres.Sql, texts: string[]): Promise<string[]> {
  const columns = await sql`
    select nspname as schema, relname as table, attname as column, format_type(atttypid, null) as type
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where nspname in ('public', 'app') and relkind in ('r', 'p') and attnum > 0 and not attisdropped
    order by 1, 2, 3
  `;
  const found = [];
  const byTable = Map.groupBy(columns, ({ schema, table }) => `${schema}.${table}`);
  for (const [table, own] of byTable) {
    const shown = own.map(({ column, type }) =>
      type === "bytea"
        ? `encode("${column}", 'hex') || ' ' || encode("${column}", 'escape') || ' ' || encode("${column}", 'base64')`
        : `"${column}"::text`
    );
    for (const [at, text] of shown.entries()) {
      const [{ has }] = await sql.unsafe(
        `select exists (select from ${table} where (${text}) ilike any ($1)) as has`,
        [texts.map((each) => `%${each.replaceAll(/[\\%_]/g, "\\$&")}%`)],
      );
      if (has) found.push(`${table}.${own[at].column}`);
    }
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
  const before = await withDatabase((sql) => columnsWith(sql, traces(person)));
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
    assert.deepEqual(await withDatabase((sql) => columnsWith(sql, traces(person))), [], when);
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
