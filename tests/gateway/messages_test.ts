// Tests listing a conversation's messages, newest first, and reading a message by its id.

import assert from "node:assert/strict";
import { schemaOf } from "../support/any_query.ts";
import { call, send } from "../support/calls.ts";
import { changesOnce } from "../support/changes.ts";
import { addMessage, anyPhone, type Company, newCompany } from "../support/company.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { until } from "../support/started.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";

const pathOf = ({ conversation_id }: Pick<Company, "conversation_id">) =>
  `/conversations/${conversation_id}/messages`;
const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);

/** Creates another conversation with the company's contact. */
async function otherConversation(company: Company): Promise<Company> {
  return await withDatabase(async (sql) => {
    const [{ id }] = await sql`
      insert into conversations (company_id, contact_id, messaging_account_id, status)
      values (${company.id}, ${company.contact_id}, ${company.account_id}, 'closed') returning id
    `;
    return { ...company, conversation_id: id };
  });
}

/**
 * A text message has null in these fields if the channel has reported nothing about the message.
 */
const WITHOUT = {
  ...{ sent_at: null, delivered_at: null, read_at: null, failed_at: null, expired_at: null },
  ...{ failure: null, price_category: null, price_type: null, payload: null },
  ...{ location: null, contact_cards: null, choice: null, media: null },
  ...{ reply_to_id: null, reply_to_whatsapp_id: null, reaction: null, own_reaction: null },
  ...{ edited_at: null, revoked_at: null },
};

Deno.test("a message has its sender and text, and shows whether the channel has accepted the message", async () => {
  const company = await newCompany();
  const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 12, n));
  await withDatabase(async (sql) => {
    const say = (n: number, columns: Parameters<typeof addMessage>[2]) =>
      addMessage(sql, company, { ...columns, created_at: minute(n) });
    const ours = { direction: "outbound", content: "Hi" } as const;
    await say(1, { content: "Bom dia ☀️", type: "image", whatsapp_message_id: "wamid.1" });
    await say(2, { ...ours, outcome: "pending" });
    await say(3, { ...ours, outcome: "failed" });
    await say(4, {
      ...ours,
      outcome: "accepted",
      expires_at: new Date("9999-12-31"),
      rendered_text: "Hello Ada",
      whatsapp_message_id: "wamid.2",
    });
  });
  const { status, body } = await call(company.keys.read, "GET", pathOf(company));
  assert.equal(status, 200);
  const own = { ...WITHOUT, company_id: company.id, conversation_id: company.conversation_id };
  const ours = {
    ...{ ...own, direction: "outbound", type: "text", content: "Hi" },
    ...{ rendered_text: null, whatsapp_message_id: null, author: null },
  };
  const person = { type: "person", id: company.contact_id, name: "Ada" };
  const shown = body.data.map((row: Record<string, unknown>) => {
    const { id: _, created_at, updated_at: __, version: ___, ...rest } = row;
    return { ...rest, at: new Date(created_at as string).getUTCMinutes() };
  });
  assert.deepEqual(shown, [
    {
      ...{ ...ours, status: "accepted", at: 4 },
      ...{ rendered_text: "Hello Ada", whatsapp_message_id: "wamid.2" },
    },
    { ...ours, status: "failed", at: 3 },
    { ...ours, status: "pending", at: 2 },
    {
      ...{ ...own, direction: "inbound", type: "image", content: "Bom dia ☀️", author: person },
      ...{ rendered_text: null, status: null, whatsapp_message_id: "wamid.1", at: 1 },
    },
  ]);
  assert.deepEqual(Object.keys(body.data[0]), [
    ...["id", "company_id", "conversation_id", "direction", "type", "author", "content"],
    "rendered_text",
    ...[
      "status",
      "whatsapp_message_id",
      ...Object.keys(WITHOUT),
      "created_at",
      "updated_at",
      "version",
    ],
  ]);
  for (const row of body.data) {
    const one = await call(company.keys.read, "GET", `/messages/${row.id}`);
    assert.deepEqual([one.status, one.body], [200, { data: row }]);
  }
});

Deno.test("a list, a single message and the changes show whether a contact, a member, an agent or the system wrote a message", async () => {
  const company = await newCompany();
  const { keys, contact_id, member_id } = company;
  await statement`update contacts set name = 'Ada Lovelace' where id = ${contact_id}`;
  const own = { direction: "outbound", outcome: "accepted" } as const;
  const authors = {
    member: { author_type: "member", author_id: member_id, author_name: "Zoë" },
    agent: { author_type: "agent", author_id: null, author_name: "Assistant" },
    system: { author_type: "system" },
  };
  const ids: Record<string, string> = {};
  await withDatabase(async (sql) => {
    ids.person = await addMessage(sql, company);
    ids.notice = await addMessage(sql, company, { type: "system" });
    ids.unnamed = await addMessage(sql, company, own);
    for (const [name, author] of Object.entries(authors)) {
      ids[name] = await addMessage(sql, company, { ...own, ...author });
    }
  });
  const none = { type: "system", id: null, name: null };
  const expected: Record<string, unknown> = {
    person: { type: "person", id: contact_id, name: "Ada Lovelace" },
    notice: none,
    unnamed: null,
    member: { type: "member", id: member_id, name: "Zoë" },
    agent: { type: "agent", id: null, name: "Assistant" },
    system: none,
  };
  const { body } = await call(keys.read, "GET", pathOf(company));
  const { body: { data: changes } } = await changesOnce(
    keys.read,
    "/messages/changes",
    (rows) => rows.length === Object.keys(ids).length,
  );
  for (const [name, id] of Object.entries(ids)) {
    for (const rows of [body.data, changes]) {
      const { author } = rows.find((row: { id: string }) => row.id === id);
      assert.deepEqual(author, expected[name], name);
    }
    const one = await call(keys.read, "GET", `/messages/${id}`);
    assert.deepEqual(one.body.data.author, expected[name], name);
  }
});

Deno.test("after a contact is renamed, the contact's messages show the new name, but keep their version", async () => {
  const company = await newCompany();
  const { keys: { all }, contact_id } = company;
  const id = await withDatabase((sql) => addMessage(sql, company));
  const before = (await call(all, "GET", `/messages/${id}`)).body.data;
  const { pagination } = (await changesOnce(all, "/messages/changes", ({ length }) => length === 1))
    .body;
  await statement`update contacts set name = 'Ada King' where id = ${contact_id}`;
  const { headers, body } = await call(all, "GET", `/messages/${id}`);
  const author = { ...before.author, name: "Ada King" };
  assert.deepEqual(body.data, { ...before, author });
  assert.equal(headers.get("ETag"), `"${before.version}"`);
  const next = `/messages/changes?cursor=${pagination.next_cursor}`;
  assert.deepEqual((await call(all, "GET", next)).body.data, []);
});

Deno.test("a deleted API key is still shown, with its former name, as the author of its sends", async () => {
  const { keys, phone_number_id } = await newCompany();
  const json = {
    ...{ phone: anyPhone(), template_name: "order_update", language_code: "en_US" },
    ...{ display_text: "Hello", body_variables: ["Ada", "A-1"], phone_number_id },
  };
  const { id, name } = (await call(keys.messaging, "GET", "/me")).body.data.key;
  const headers = { "X-Api-Key": keys.messaging, "Content-Type": "application/json" };
  const sent = await send(stack.template_url, "POST", headers, JSON.stringify(json));
  await statement`update api_keys set name = 'Renamed' where id = ${id}`;
  await statement`delete from api_keys where id = ${id}`;
  const { body } = await call(keys.read, "GET", `/messages/${sent.body.message_id}`);
  assert.deepEqual(body.data.author, { type: "key", id, name });
});

Deno.test("an outbound message shows when it was sent, delivered and read, its price and the reason for a failure", async () => {
  const company = await newCompany();
  const failure = { reason: "recipient_unreachable", code: 131026, message: "No", details: null };
  const times = Object.fromEntries(
    ["sent_at", "delivered_at", "read_at", "failed_at", "expired_at"].map((name, at) => [
      name,
      `2026-01-01T12:0${at}:00+00:00`,
    ]),
  );
  const price = { price_category: "utility", price_type: "regular" };
  const id = await withDatabase((sql) =>
    addMessage(sql, company, {
      direction: "outbound",
      outcome: "accepted",
      ...times,
      ...price,
      failure,
    })
  );
  const { body: { data } } = await call(company.keys.read, "GET", `/messages/${id}`);
  // If the channel reported both a failure and a delivery, the status shows the delivery.
  const expected = { ...times, ...price, failure, status: "read" };
  assert.deepEqual(data, { ...data, ...expected });

  const at = (cleared: Record<string, null>) =>
    withDatabase((sql) => sql`update messages set ${sql(cleared)} where id = ${id}`);
  const statuses: [string, string][] = [
    ["read_at", "delivered"],
    ["delivered_at", "failed"],
    ["failed_at", "expired"],
    ["expired_at", "sent"],
    ["sent_at", "accepted"],
  ];
  for (const [column, status] of statuses) {
    await at({ [column]: null });
    const [changed] = await changedMessages(company, ([row]) => row?.status === status);
    assert.deepEqual([changed.id, changed.status, changed[column]], [id, status, null]);
  }
});

/** Waits until the company's changed messages are as expected, and returns these messages. */
async function changedMessages(
  { keys }: Company,
  // deno-lint-ignore no-explicit-any -- messages as the API returns them
  areSo: (rows: any[]) => boolean,
) {
  return (await changesOnce(keys.read, "/messages/changes", areSo)).body.data;
}

Deno.test("an inbound message shows its payload, its media file, the message to which it replies, and later changes", async () => {
  const company = await newCompany();
  const at = "2026-01-01T12:00:00+00:00";
  const media = {
    ...{ id: "1234", mime_type: "audio/ogg", sha256: "ab".repeat(32), filename: null, voice: true },
    ...{ animated: null, expires_at: "2026-01-08T12:00:00+00:00" },
  };
  const person = {
    ...{ type: "audio", content: "", sent_at: at, media, payload: { forwarded: true } },
    ...{ reply_to_whatsapp_id: "wamid.asked", edited_at: at, revoked_at: at },
  };
  const [asked, answer] = await withDatabase(async (sql) => {
    const reply_to_id = await addMessage(sql, company, {
      ...{ direction: "outbound", outcome: "accepted", whatsapp_message_id: "wamid.asked" },
      reaction: { emoji: "👍🏽", at: "2026-01-01T12:00:00Z" },
    });
    return [reply_to_id, await addMessage(sql, company, { ...person, reply_to_id })];
  });
  const read = async (id: string) =>
    (await call(company.keys.read, "GET", `/messages/${id}`)).body.data;
  const shown = await read(answer);
  assert.deepEqual(shown, { ...shown, ...person, reply_to_id: asked, status: null });
  assert.deepEqual((await read(asked)).reaction, { emoji: "👍🏽", at: "2026-01-01T12:00:00Z" });
  assert.deepEqual(
    (await changedMessages(company, (rows) => rows.length === 2))
      .map(({ id }: { id: string }) => id).sort(),
    [asked, answer].sort(),
  );

  // A removed reaction keeps its time.
  await withDatabase((sql) =>
    sql`update messages set reaction = ${sql.json({ emoji: null, at })} where id = ${asked}`
  );
  assert.equal((await read(asked)).reaction, null);
  const isTakenBack = (rows: { id: string; reaction: unknown }[]) =>
    rows.find(({ id }) => id === asked)?.reaction === null;
  await changedMessages(company, isTakenBack);
  const found = await call(company.keys.read, "GET", `${pathOf(company)}?reply_to_id=${asked}`);
  assert.deepEqual(idsOf(found.body), [answer]);
  await statement`delete from messages where id = ${asked}`;
  assert.deepEqual([(await read(answer)).reply_to_id, shown.reply_to_whatsapp_id], [
    null,
    "wamid.asked",
  ]);
});

Deno.test("the `type` filter finds inbound messages of every type", async () => {
  const company = await newCompany();
  const types: string[] = schemaOf("/conversations/{id}/messages", "type").items.enum;
  await withDatabase(async (sql) => {
    for (const type of types) await addMessage(sql, company, { type, content: "" });
  });
  for (const type of types) {
    const { body } = await call(company.keys.read, "GET", `${pathOf(company)}?type=${type}`);
    assert.deepEqual(body.data.map((row: { type: string }) => row.type), [type]);
  }
  const { body } = await call(company.keys.read, "GET", `${pathOf(company)}?type[ne]=${types}`);
  assert.deepEqual(body.data, []);
});

Deno.test("the longest messages with payloads are returned in pages of about 1 MiB", async () => {
  const company = await newCompany();
  await statement`
    insert into messages (company_id, conversation_id, direction, content, payload)
    select ${company.id}, ${company.conversation_id}, 'inbound', repeat('語', 65536),
      jsonb_build_object('text', repeat('"', 32000))
    from generate_series(1, 20)
  `;
  // One transaction has written all messages, so they appear in the changes at the same time.
  await changedMessages(company, (rows) => rows.length > 0);
  for (const path of [pathOf(company), "/messages/changes"]) {
    const ids: string[] = [];
    let pages = 0;
    for (let cursor = "", hasMore = true; hasMore; pages++) {
      const { body } = await call(company.keys.read, "GET", `${path}?limit=200${cursor}`);
      const bytes = new TextEncoder().encode(JSON.stringify(body)).length;
      assert.ok(bytes < 1.5 * 1024 * 1024, `${bytes} bytes`);
      ids.push(...idsOf(body));
      hasMore = body.pagination.has_more;
      cursor = `&cursor=${body.pagination.next_cursor}`;
    }
    assert.ok(pages > 3, `${pages} pages`);
    assert.deepEqual([ids.length, new Set(ids).size], [20, 20]);
  }
});

Deno.test("a page of messages needs one round trip, and an empty page needs a second round trip to check the conversation", async () => {
  const company = await newCompany();
  const empty = await otherConversation(company);
  const foreign = await newCompany();
  await withDatabase((sql) => addMessage(sql, company));
  await using database = watchedStack();
  const request = await ownGateway(database.url);
  await request(company.keys.all, "GET", "/pipelines");
  const read = async (path: string) => {
    database.seen.length = 0;
    const { status, body } = await request(company.keys.all, "GET", path);
    const tables = database.seen.map(({ path }) => path.replace("/rest/v1/", ""))
      .filter((table) => table !== "rpc/authenticate");
    return { status, data: body.data?.length, error: body.error, tables };
  };
  const missing = {
    ...{ status: 404, data: undefined, error: "Conversation not found" },
    tables: ["own_messages", "own_conversations"],
  };
  assert.deepEqual(await read(pathOf(company)), {
    ...{ status: 200, data: 1, error: undefined, tables: ["own_messages"] },
  });
  assert.deepEqual(await read(pathOf(empty)), {
    ...{ status: 200, data: 0, error: undefined, tables: ["own_messages", "own_conversations"] },
  });
  assert.deepEqual(await read(pathOf(foreign)), missing);
  assert.deepEqual(await read(pathOf({ conversation_id: crypto.randomUUID() })), missing);
});

Deno.test("a location, contact cards and a choice are separate fields of a message, also in the changes feed", async () => {
  const own = await newCompany();
  const place = { latitude: -23.56, longitude: -46.65, name: "MASP", extra: 1 };
  const card = {
    name: { formatted_name: "Carlos" },
    org: { company: "Ondalva" },
    phones: [{ phone: "+55 11 97777-0000", wa_id: "5511977770000", type: "CELL" }, 7],
    emails: [{ email: "carlos@example.com" }],
  };
  const list = { id: "late", title: "It is late", description: "A day or more" };
  const PARTS: [type: string, payload: Record<string, unknown>, field: string, value: unknown][] = [
    [
      "location",
      { location: place },
      "location",
      { latitude: -23.56, longitude: -46.65, name: "MASP", address: null, url: null },
    ],
    ["location", { location: { latitude: "x", longitude: 1 } }, "location", null],
    ["contacts", { contacts: [card, "?"] }, "contact_cards", [{
      name: "Carlos",
      organization: "Ondalva",
      phones: [{ phone: "+55 11 97777-0000", whatsapp_id: "5511977770000", type: "CELL" }],
      emails: [{ email: "carlos@example.com", type: null }],
    }]],
    ["contacts", { contacts: { phones: {} } }, "contact_cards", [
      { name: null, organization: null, phones: [], emails: [] },
    ]],
    ["contacts", { truncated: true }, "contact_cards", null],
    [
      "interactive",
      { interactive: { type: "list_reply", list_reply: list } },
      "choice",
      { type: "list_reply", ...list },
    ],
    [
      "interactive",
      { interactive: { type: "button_reply", button_reply: { id: "slot-2", title: "Wed 9h" } } },
      "choice",
      { type: "button_reply", id: "slot-2", title: "Wed 9h", description: null },
    ],
    [
      "button",
      { button: { payload: "CONFIRM", text: "Confirmar" } },
      "choice",
      { type: "button", id: "CONFIRM", title: "Confirmar", description: null },
    ],
    ["interactive", { interactive: { type: "nfm_reply", nfm_reply: {} } }, "choice", null],
    ["text", { location: place, button: {} }, "location", null],
  ];
  for (const [type, payload, field, value] of PARTS) {
    const id = await withDatabase((sql) =>
      addMessage(sql, own, { type, payload: payload as never })
    );
    const { body } = await call(own.keys.read, "GET", `/messages/${id}`);
    assert.deepEqual(body.data[field], value, type);
    // The feed shows a change only after the open transactions of other tests have ended.
    let change: Record<string, unknown> | undefined;
    await until(async () => {
      const { body } = await call(own.keys.read, "GET", "/messages/changes?limit=200");
      change = body.data.find((each: { id: string }) => each.id === id);
      return change !== undefined;
    });
    assert.deepEqual(change![field], value, type);
  }
});
