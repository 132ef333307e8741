// Tests the response to an erase request, what happens when the erased person returns, and requests
// that run during the erasure.
import assert from "node:assert/strict";
import { type Answer, assertField, assertHeaderRefused, call } from "../support/calls.ts";
import { changesOnce } from "../support/changes.ts";
import { messagesFrom, nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { addSentMessage, anyPhone, newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { ownGateway, ownSender, watchedStack } from "../support/own_functions.ts";
import { replyIn, sendReply, writes } from "../support/replying.ts";
import { accepted, ownChannel, sendTemplate, template } from "../support/sending.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";

const company = await newCompany();
const { keys, stage_ids: [stage_id] } = company;
const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
const webhook = await ownWebhook();

function ask(method: string, path: string, json?: unknown, headers = {}): Promise<Answer> {
  return call(keys.all, method, path, { json, headers });
}

// deno-lint-ignore no-explicit-any -- a contact as the API returns it
async function newContact(fields: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await ask("POST", "/contacts", { phone: anyPhone(), ...fields });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

const erase = (id: string, headers = {}) =>
  ask("POST", `/contacts/${id}/erase`, { confirm: id }, headers);

/** Simulates a message from this phone number, sent this number of seconds ago. */
async function inbound(phone: string, text: string, secondsAgo = 0) {
  const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo);
  const message = { timestamp, text: { body: text } };
  const contact = { profile: { name: "Somebody" } };
  const body = messagesFrom(phone, company.phone_number_id, [message], contact);
  assert.equal((await webhook.post(app, body)).status, 200);
}

/** The fields of a contact that contain the person's opt-outs. */
const wishOf = (contact: Record<string, unknown>) =>
  ["do_not_contact", "do_not_contact_source", "do_not_contact_at", "marketing_opt_out_at"]
    .map((field) => contact[field]);

async function foundBy(phone: string) {
  const { body } = await ask("GET", `/contacts?phone=${encodeURIComponent(phone)}`);
  assert.ok(body.data.length <= 1);
  return body.data[0];
}

Deno.test("an erased contact is returned by its id and in the changes feed, but not in lists", async () => {
  const word = `zq${crypto.randomUUID().slice(0, 8)}`;
  const start = (await ask("GET", "/contacts/changes?start=now")).body.pagination.next_cursor;
  const contact = await newContact({ name: word, email: `${word}@example.com`, tags: [word] });
  const deal = await ask("POST", "/deals", { title: word, contact_id: contact.id, stage_id });
  const erased = await erase(contact.id);
  assert.equal(erased.status, 200);
  const { data } = erased.body;
  assert.deepEqual(
    { name: data.name, phone: data.phone, email: data.email, tags: data.tags, id: data.id },
    { name: null, phone: null, email: null, tags: [], id: contact.id },
  );
  assert.ok(Math.abs(Date.parse(data.erased_at) - Date.now()) < 60_000);
  const shown = await ask("GET", `/contacts/${contact.id}`);
  assert.deepEqual([shown.status, shown.body.data], [200, data]);
  assert.equal(erased.headers.get("ETag"), shown.headers.get("ETag"));

  const filters = [`id=${contact.id}`, `q=${word}`, `phone=${encodeURIComponent(contact.phone)}`];
  for (const find of filters) {
    assert.deepEqual((await ask("GET", `/contacts?${find}`)).body.data, [], find);
  }
  assert.deepEqual((await ask("GET", `/search?q=${word}&archived=include`)).body.data, []);
  let change: unknown;
  const feed = `/contacts/changes?cursor=${start}`;
  await changesOnce(keys.all, feed, (rows) => change = rows.find(({ id }) => id === contact.id));
  assert.deepEqual(change, data);
  const { title } = (await ask("GET", `/deals/${deal.body.data.id}`)).body.data;
  assert.equal(title, "Erased");

  const again = await erase(contact.id);
  assert.deepEqual([again.status, again.body.data], [200, data]);
});

Deno.test("an erased contact cannot be changed or restored, and gets no new deal", async () => {
  const contact = await newContact();
  await erase(contact.id);
  const path = `/contacts/${contact.id}`;
  const merge = { "Content-Type": "application/merge-patch+json" };
  const refused = await Promise.all([
    ask("PATCH", path, { phone: anyPhone(), name: "Back" }),
    ask("PATCH", path, { name: "Back" }, merge),
    ask("POST", `${path}/restore`),
  ]);
  for (const { status, body } of refused) {
    assert.deepEqual([status, body.code], [404, "not_found"]);
    assert.match(body.error, /was erased, so nothing is left to change or to restore/);
  }
  const batch = await ask("PATCH", "/contacts/batch", {
    items: [{ id: contact.id, name: "Back" }],
  });
  assert.equal(batch.body.data[0].status, 404);
  assert.deepEqual(batch.body.data[0].error, {
    error: refused[0].body.error,
    code: "not_found",
    details: [{ field: "items.0.id", message: "is the id of an erased contact" }],
  });
  assert.equal((await ask("DELETE", path)).status, 204, "the contact is already archived");
  const deal = { title: "New", contact_id: contact.id, stage_id };
  const refusal = "is a contact whose person was erased; name another contact";
  assertField(await ask("POST", "/deals", deal), "contact_id", refusal);
  const deals = await ask("POST", "/deals/batch", { items: [deal, { ...deal, external_id: "1" }] });
  assert.deepEqual(
    deals.body.data.map(({ error }: { error: Answer["body"] }) => error.details),
    [0, 1].map((at) => [{ field: `items.${at}.contact_id`, message: refusal }]),
  );
  await assert.rejects(
    statement`
      insert into deals (company_id, title, contact_id, stage_id)
      values (${company.id}, 'New', ${contact.id}, ${stage_id})
    `,
    /"deals_contact_not_erased"/,
  );
  const { body } = await ask("GET", path);
  assert.deepEqual([body.data.name, typeof body.data.erased_at], [null, "string"]);
});

Deno.test("erasing a contact requires a confirmation and a key with the `write` scope", async () => {
  const [contact, other] = [await newContact({ name: "Ada" }), await newCompany()];
  const path = `/contacts/${contact.id}/erase`;
  const unconfirmed = [{}, { confirm: crypto.randomUUID() }, { confirm: "yes" }, { confirm: true }];
  for (const json of unconfirmed) {
    assertField(await ask("POST", path, json), "confirm");
  }
  assertField(await ask("POST", path, { confirm: contact.id, force: true }), "force");
  const json = { confirm: contact.id };
  for (const key of [keys.read, keys.messaging]) {
    assert.equal((await call(key, "POST", path, { json })).status, 403);
  }
  assert.equal((await call(other.keys.all, "POST", path, { json })).status, 404);
  assertHeaderRefused(await ask("POST", path, json, { "If-Match": '"1"' }), "If-Match");
  assert.equal((await foundBy(contact.phone)).name, "Ada", "nothing was erased");
  const upper = { confirm: contact.id.toUpperCase() };
  assert.equal((await ask("POST", path, upper)).status, 200);
});

Deno.test("only one of fifty simultaneous requests erases the contact, and all requests return the same response", async () => {
  const contact = await newContact({ name: "Ada" });
  const ask = await ownGateway(stack.url);
  const answers: Answer[] = [];
  const lines = await logged(async () => {
    // Some responses ask the caller to repeat the request. The test repeats these requests.
    const one = async () => {
      for (let tries = 0; tries < 200; tries++) {
        const json = { confirm: contact.id };
        const answer = await ask(keys.write, "POST", `/contacts/${contact.id}/erase`, json);
        if (![429, 503].includes(answer.status)) return void answers.push(answer);
      }
    };
    await Promise.all(Array.from({ length: 50 }, one));
  });
  assert.equal(answers.length, 50);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }) => body.data.version)).size, 1);
  const erased = lines.map((line) => JSON.parse(line)).filter(({ event }) =>
    event === "contact_erased"
  );
  assert.equal(erased.length, 1);
  const { contact_id, messages, sends, deals } = erased[0];
  assert.deepEqual({ contact_id, messages, sends, deals }, {
    ...{ contact_id: contact.id, messages: 0, sends: 0, deals: 0 },
  });
  assert.ok(!lines.join().includes(contact.phone.slice(1)) && !lines.join().includes("Ada"));
});

Deno.test("if the response to an erase request is lost, the request can be repeated with its Idempotency-Key", async () => {
  const contact = await newContact({ name: "Ada" });
  const headers = { "Idempotency-Key": `forget-${contact.phone}` };
  let isLost = true;
  await using database = watchedStack(async (request) => {
    if (!isLost || !request.url.includes("erase_contact")) return null;
    isLost = false;
    await (await database.forward(request)).body?.cancel();
    return new Response(null, { status: 503 });
  });
  const gateway = await ownGateway(database.url);
  const path = `/contacts/${contact.id}/erase`;
  await logged(async () => {
    const lost = await gateway(keys.write, "POST", path, { confirm: contact.id }, headers);
    assert.equal(lost.status, 503);
  });
  const repeat = await gateway(keys.write, "POST", path, { confirm: contact.id }, headers);
  assert.deepEqual(
    [repeat.status, repeat.headers.get("Idempotent-Replayed"), repeat.body.data.phone],
    [200, "true", null],
  );
});

Deno.test("an erasure also replaces the idempotency keys of batches in which items about the person were refused", async () => {
  const [contact, other, third] = [await newContact(), await newContact(), await newContact()];
  const [own, others] = [crypto.randomUUID(), crypto.randomUUID()];
  const deal = { title: "Ana Souza, kitchen", contact_id: contact.id, stage_id };
  await ask("POST", "/deals", { ...deal, external_id: own });
  await ask("POST", "/deals", { ...deal, external_id: others, contact_id: other.id });
  await ask("PUT", "/contacts", { phone: contact.phone, custom_fields: { a: "x".repeat(9_000) } });

  const key = () => `order-${crypto.randomUUID()}`;
  const unknown = crypto.randomUUID();
  const refused = async (status: number, path: string, item: Record<string, unknown>) => {
    const headers = { "Idempotency-Key": key() };
    const { body } = await ask("POST", path, { items: [item] }, headers);
    assert.equal(body.data[0].status, status, JSON.stringify(body));
    return { path, item, headers, body };
  };
  const large = { phone: contact.phone, custom_fields: { b: "x".repeat(9_000) } };
  const theirs = { ...deal, external_id: others };
  const updating = "/deals/batch?on_conflict=update";
  const requests = [
    await refused(422, "/contacts/batch?on_conflict=merge", large),
    await refused(422, "/deals/batch", { ...deal, stage_id: unknown }),
    await refused(422, updating, { ...deal, stage_id: unknown, external_id: own }),
    await refused(422, updating, { ...deal, contact_id: third.id, external_id: own }),
    await refused(422, updating, theirs),
    await refused(409, "/deals/batch", theirs),
  ];
  assert.equal((await ask("DELETE", `/contacts/${contact.id}`)).status, 204);
  requests.push(await refused(422, "/deals/batch", deal));
  assert.equal((await erase(contact.id)).status, 200);

  const kept = await statement`select key from idempotency_keys where company_id = ${company.id}`;
  for (const { path, item, headers, body } of requests) {
    const told = `${path}: ${body.data[0].error.error}`;
    assert.ok(!kept.some(({ key }) => key === headers["Idempotency-Key"]), told);
    const repeat = await ask("POST", path, { items: [item] }, headers);
    assert.equal(repeat.headers.get("Idempotent-Replayed"), "true", told);
    assert.deepEqual(repeat.body, body);
  }
});

Deno.test("a contact with a thousand deals can be erased, even if the company has sent hundreds of batches", async () => {
  const { id } = await newContact();
  await withDatabase((sql) =>
    sql`
      with added as (
        insert into deals (company_id, title, contact_id, stage_id)
        select ${company.id}, 'Deal', ${id}, ${stage_id} from generate_series(1, 1000)
      )
      insert into idempotency_keys (company_id, path, key, fingerprint, outcome)
      select ${company.id}, '/contacts/batch', 'batch ' || batch, 'a', (
        select jsonb_agg(md5(batch || ' ' || item)) from generate_series(1, 500) as item
      ) from generate_series(1, 300) as batch`
  );
  assert.equal((await erase(id)).status, 200);
});

Deno.test("if the phone number of an erased contact is used again, the number belongs to a new contact", async () => {
  const [created, written, sent] = [await newContact(), await newContact(), await newContact()];
  for (const { id } of [created, written, sent]) await erase(id);
  const again = await newContact({ phone: created.phone });
  assert.deepEqual([again.name, again.do_not_contact], [null, false]);
  await inbound(written.phone, "Oi");
  assert.equal((await sendTemplate(keys.messaging, template(sent.phone))).body.success, true);
  for (const { id, phone } of [created, written, sent]) {
    const found = await foundBy(phone);
    assert.notEqual(found.id, id);
    assert.equal((await ask("GET", `/contacts/${id}`)).body.data.phone, null);
  }
  const old = anyPhone();
  const contact = await newContact({ phone: old });
  await erase(contact.id);
  await inbound(old, "Said before, and delivered late", 60);
  assert.equal(await foundBy(old), undefined);
});

Deno.test("`do_not_contact` survives an erasure, whether the phone number returns in a message or in a new contact", async () => {
  const byHand = await newContact({ do_not_contact: true });
  const byWord = await newContact();
  await inbound(byWord.phone, "STOP", 3);
  const ofMarketing = await newContact();
  await statement`
      update contacts set marketing_stopped_at = now() - interval '1 day', marketing_stop_source = 'preference'
      where id = ${ofMarketing.id}
    `;
  const before = await Promise.all(
    [byHand, byWord, ofMarketing].map(({ phone }) => foundBy(phone)),
  );
  for (const { id } of before) await erase(id);

  const repeated = await sendTemplate(keys.messaging, template(byHand.phone));
  assert.deepEqual([repeated.body.success, repeated.body.reason], [false, "do_not_contact"]);
  await inbound(byWord.phone, "Mudei de ideia?");
  await newContact({ phone: byHand.phone });
  await newContact({ phone: ofMarketing.phone });
  for (const was of before) {
    const found = await foundBy(was.phone);
    assert.notEqual(found.id, was.id);
    assert.deepEqual(wishOf(found), wishOf(was));
  }
  // The person opts in again and is then erased.
  await inbound(byWord.phone, "START");
  const back = await foundBy(byWord.phone);
  assert.equal(back.do_not_contact, false);
  await erase(back.id);
  assert.equal((await newContact({ phone: byWord.phone })).do_not_contact, false);
});

Deno.test("erasing a person's older contact keeps the person's later opt-out or opt-in", async () => {
  const before = await newContact();
  await ask("DELETE", `/contacts/${before.id}`);
  const since = await newContact({ phone: before.phone, do_not_contact: true });
  for (const { id } of [since, before]) assert.equal((await erase(id)).status, 200);
  const back = await newContact({ phone: before.phone });
  assert.deepEqual([back.do_not_contact, back.do_not_contact_at], [true, since.do_not_contact_at]);
  // The later opt-out or opt-in applies, in either order of the erasures.
  await ask("PATCH", `/contacts/${back.id}`, { phone: back.phone, do_not_contact: false });
  await ask("DELETE", `/contacts/${back.id}`);
  const last = await newContact({ phone: back.phone });
  for (const { id } of [last, back]) assert.equal((await erase(id)).status, 200);
  assert.equal((await newContact({ phone: back.phone })).do_not_contact, false);
});

Deno.test("if a person is erased during a send to this person, the send ends without storing the person's data again", async () => {
  const contact = await newContact({ name: "Ada" });
  const json = template(contact.phone, { idempotency_key: `under-way-${contact.phone}` });
  const wamid = `wamid.${btoa(contact.phone)}`;
  await using channel = ownChannel(async () => {
    assert.equal((await erase(contact.id)).status, 200);
    return accepted(wamid);
  });
  const send = await ownSender(channel.url);
  const first = await send(keys.messaging, json);
  assert.deepEqual([first.status, first.body.success], [200, true]);
  const { message_id } = first.body;
  const status = async () => (await ask("GET", `/messages/${message_id}`)).body.data;
  const message = await status();
  assert.deepEqual([message.status, message.content], ["accepted", ""]);
  assert.match(message.whatsapp_message_id, /^erased\.[0-9a-f]{64}$/);
  const repeat = await send(keys.messaging, json);
  assert.deepEqual(
    [repeat.status, repeat.body.message_id, repeat.body.status],
    [200, message_id, "sent"],
  );
  assert.equal(channel.calls.length, 1);
});

Deno.test("if a send's claim was released before its recipient was erased, a repeat sends nothing", async () => {
  const contact = await newContact();
  const idempotency_key = `released-${contact.phone}`;
  const conversation_id = await withDatabase(async (sql) => {
    const row = {
      ...{ company_id: company.id, contact_id: contact.id },
      messaging_account_id: company.account_id,
    };
    const [{ id }] = await sql`insert into conversations ${sql(row)} returning id`;
    const send = { idempotency_key, state: "released" as const, reason: "channel_unavailable" };
    await addSentMessage(sql, { id: company.id, conversation_id: id }, send);
    return id;
  });
  await erase(contact.id);
  const repeat = await sendTemplate(
    keys.messaging,
    template(contact.phone, { idempotency_key, language_code: "en_US" }),
  );
  assert.deepEqual(
    [repeat.status, repeat.body.status, repeat.body.success],
    [200, "failed", false],
  );
  const conversation = await ask("GET", `/conversations/${conversation_id}`);
  assert.deepEqual(
    [conversation.body.data.status, conversation.body.data.window_expires_at],
    ["closed", null],
  );
});

Deno.test("a reply to an erased person is refused", async () => {
  const own = await newCompany();
  await writes(own);
  const { status } = await call(own.keys.all, "POST", `/contacts/${own.contact_id}/erase`, {
    json: { confirm: own.contact_id },
  });
  assert.equal(status, 200);
  const refusal = [409, "conflict", "The person was erased, so no one can reply to them"];
  const closed = await sendReply(own.keys.messaging, replyIn(own));
  assert.deepEqual([closed.status, closed.body.code, closed.body.error], refusal);
  const path = `/conversations/${own.conversation_id}`;
  assert.equal((await call(own.keys.all, "PATCH", path, { json: { status: "open" } })).status, 200);
  const reopened = await sendReply(own.keys.messaging, replyIn(own));
  assert.deepEqual([reopened.status, reopened.body.code, reopened.body.error], refusal);
});
