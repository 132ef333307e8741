// Two contacts become one: what the survivor takes over, what the other one's id and phone lead to, and what is refused.
import assert from "node:assert/strict";
import { type Answer, assertField, call } from "../support/calls.ts";
import { nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { addSentMessage, anyPhone, newCompany } from "../support/company.ts";
import { personToken, rest } from "../support/rest.ts";
import { sendTemplate, template } from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

const [company, foreign] = [await newCompany(), await newCompany()];
const { keys, stage_ids: [stage_id] } = company;

function ask(method: string, path: string, json?: unknown, headers = {}): Promise<Answer> {
  return call(keys.all, method, path, { json, headers });
}

// deno-lint-ignore no-explicit-any -- a contact as the API answers it
async function newContact(fields: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await ask("POST", "/contacts", { phone: anyPhone(), ...fields });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

const merge = (id: string, from: string, headers = {}) =>
  ask("POST", `/contacts/${id}/merge`, { from }, headers);

/** Two contacts that were merged: the survivor as it is answered, and the other one as it was. */
async function merged(own = {}, theirs = {}) {
  const [survivor, other] = [await newContact(own), await newContact(theirs)];
  const { status, body } = await merge(survivor.id, other.id);
  assert.equal(status, 200, JSON.stringify(body));
  return { survivor: body.data, other };
}

const find = async (phone: string, more = "") =>
  (await ask("GET", `/contacts?phone=${encodeURIComponent(phone)}${more}`)).body.data;

function assertMerged({ status, body }: Answer, existing_id: string) {
  assert.deepEqual([status, body.code, body.existing_id], [409, "conflict", existing_id]);
  assert.match(body.error, /merged into another one/);
}

Deno.test("the survivor keeps what it has, and takes over the rest", async () => {
  const own = { name: "Ada", email: null, job_title: "", tags: ["a", "b"] };
  const theirs = {
    ...{ name: "Twin", email: "ada@example.com", job_title: "Chef", empresa: "Café" },
    ...{ tags: ["b", "c"], do_not_contact: true, custom_fields: { city: "Lima", size: 2 } },
  };
  const { survivor, other } = await merged(
    { ...own, custom_fields: { city: "", size: 1 } },
    theirs,
  );
  const { name, email, job_title, empresa, tags, custom_fields, do_not_contact } = survivor;
  assert.deepEqual({ name, email, job_title, empresa, tags, custom_fields, do_not_contact }, {
    ...{ name: "Ada", email: "ada@example.com", job_title: "Chef", empresa: "Café" },
    ...{ tags: ["a", "b", "c"], custom_fields: { city: "Lima", size: 1 }, do_not_contact: true },
  });
  assert.notEqual(survivor.phone, other.phone);
  assert.equal(survivor.do_not_contact_source, "manual");
});

Deno.test("deals, conversations, messages and sends move, and two open conversations become one", async () => {
  const [survivor, other] = [await newContact(), await newContact()];
  const deals = [];
  for (const [contact_id, value] of [[survivor.id, 100], [other.id, 20], [other.id, 3]]) {
    deals.push(
      (await ask("POST", "/deals", { title: "D", value, contact_id, stage_id })).body.data,
    );
  }
  const first = await sendTemplate(keys.messaging, template(survivor.phone));
  const second = await sendTemplate(keys.messaging, template(other.phone));
  assert.deepEqual([first.body.success, second.body.success], [true, true]);
  await merge(survivor.id, other.id);
  const { body } = await ask("GET", `/deals?contact_id=${survivor.id}`);
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id).sort(),
    deals.map(({ id }) => id).sort(),
  );
  const total = body.data.reduce((sum: number, { value }: { value: number }) => sum + value, 0);
  assert.equal(total, 123);
  const conversations = (await ask("GET", `/conversations?contact_id=${survivor.id}`)).body.data;
  assert.equal(conversations.length, 1);
  const messages = (await ask("GET", `/conversations/${conversations[0].id}/messages`)).body.data;
  assert.deepEqual(
    new Set(messages.map(({ id }: { id: string }) => id)),
    new Set([first.body.message_id, second.body.message_id]),
  );
  assert.equal((await ask("GET", `/sends/${second.body.message_id}`)).status, 200);
});

Deno.test("the merged id answers the survivor, also after further merges and with fields", async () => {
  const { survivor, other } = await merged();
  const last = await newContact({ name: "Last" });
  const shown = await ask("GET", `/contacts/${other.id}`);
  assert.deepEqual([shown.status, shown.body.data], [200, {
    ...survivor,
    merged_into: survivor.id,
  }]);
  assert.equal("merged_into" in (await ask("GET", `/contacts/${survivor.id}`)).body.data, false);
  await merge(last.id, survivor.id);
  for (const { id } of [survivor, other]) {
    const { body } = await ask("GET", `/contacts/${id}?fields=name`);
    assert.deepEqual(body.data, { name: "Last", merged_into: last.id });
    const exported = await ask("GET", `/contacts/${id}/export`);
    assert.equal(exported.body.data.contact.id, last.id);
  }
  assert.equal((await call(foreign.keys.all, "GET", `/contacts/${other.id}`)).status, 404);
  await ask("DELETE", `/contacts/${last.id}`);
  assert.equal(
    (await ask("GET", `/contacts/${other.id}`)).status,
    404,
    "archived, as by its own id",
  );
  assert.equal((await ask("GET", `/contacts/${other.id}?archived=include`)).status, 200);
});

Deno.test("a write to a merged id is a conflict with the survivor, and changes nothing", async () => {
  const { survivor, other } = await merged();
  const third = await newContact();
  const path = `/contacts/${other.id}`;
  const patch = { "Content-Type": "application/merge-patch+json" };
  const deal = { title: "New", contact_id: other.id, stage_id };
  const answers = await Promise.all([
    ask("PATCH", path, { phone: other.phone, name: "X" }),
    ask("PATCH", path, { name: "X" }, patch),
    ask("DELETE", path),
    ask("POST", `${path}/restore`),
    ask("POST", `${path}/erase`, { confirm: other.id }),
    merge(other.id, third.id),
    merge(third.id, other.id),
    ask("POST", "/deals", deal),
    ask("PATCH", "/contacts/batch?atomic=true", { items: [{ id: other.id, name: "X" }] }),
    ask("POST", "/deals/batch?atomic=true", { items: [deal] }),
  ]);
  for (const answer of answers) assertMerged(answer, survivor.id);
  const items = [{ id: other.id, name: "X" }, { id: third.id, name: "Y" }];
  const batch = (await ask("PATCH", "/contacts/batch", { items })).body.data;
  assert.deepEqual(batch.map(({ status }: { status: number }) => status), [409, 200]);
  assert.equal(batch[0].error.existing_id, survivor.id);
  const deals = await ask("POST", "/deals/batch", { items: [deal] });
  assert.equal(deals.body.data[0].error.existing_id, survivor.id);
  assert.deepEqual((await ask("GET", `/contacts/${survivor.id}`)).body.data, survivor);
  // To another company, the id is unknown.
  const json = { phone: other.phone };
  assert.equal((await call(foreign.keys.all, "PATCH", path, { json })).status, 404);
});

Deno.test("finding, creating, upserting, sending and writing by the further phone meet the survivor", async () => {
  const { survivor, other } = await merged({ name: "Ada" });
  const both = `${survivor.phone},${other.phone}`;
  assert.deepEqual((await find(other.phone)).map(({ id }: { id: string }) => id), [survivor.id]);
  assert.deepEqual((await find(both)).map(({ id }: { id: string }) => id), [survivor.id]);
  const stranger = await newContact();
  const found = await find(`${stranger.phone},${other.phone}`);
  assert.deepEqual(found.map(({ id }: { id: string }) => id), [stranger.id, survivor.id]);
  const paged = await ask(
    "GET",
    `/contacts?limit=1&include_total=true&phone=${
      encodeURIComponent(`${stranger.phone},${other.phone}`)
    }`,
  );
  assert.equal(paged.body.pagination.total, 2);
  const next = await ask(
    "GET",
    `/contacts?limit=1&include_total=true&phone=${
      encodeURIComponent(`${stranger.phone},${other.phone}`)
    }&cursor=${paged.body.pagination.next_cursor}`,
  );
  assert.deepEqual(next.body.data.map(({ id }: { id: string }) => id), [survivor.id]);
  assert.deepEqual(await find(other.phone, "&name=Grace"), [], "it meets the other filters too");

  const created = await ask("POST", "/contacts", { phone: other.phone });
  assert.deepEqual([created.status, created.body.existing_id], [409, survivor.id]);
  const put = await ask("PUT", "/contacts", { phone: other.phone, empresa: "Café" });
  assert.deepEqual([put.status, put.body.data.id, put.body.data.phone], [
    ...[200, survivor.id, survivor.phone],
  ]);
  assert.equal((await sendTemplate(keys.messaging, template(other.phone))).body.success, true);
  const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
  const from = other.phone.slice(1);
  const value = {
    metadata: { phone_number_id: company.phone_number_id },
    contacts: [{ wa_id: from, profile: { name: "Somebody" } }],
    messages: [{
      ...{ from, id: `wamid.${from}`, type: "text", text: { body: "Oi" } },
      timestamp: String(Math.floor(Date.now() / 1000)),
    }],
  };
  const entry = [{ id: "1", changes: [{ field: "messages", value }] }];
  const event = JSON.stringify({ object: "whatsapp_business_account", entry });
  assert.equal((await (await ownWebhook()).post(app, event)).status, 200);
  const [conversation, ...more] =
    (await ask("GET", `/conversations?contact_id=${survivor.id}`)).body.data;
  assert.deepEqual(more, []);
  const { body } = await ask("GET", `/conversations/${conversation.id}/messages`);
  assert.deepEqual(body.data.map(({ direction }: { direction: string }) => direction), [
    ...["inbound", "outbound"],
  ]);

  await ask("DELETE", `/contacts/${survivor.id}`);
  assert.deepEqual(await find(other.phone), []);
  assert.equal((await find(other.phone, "&archived=only"))[0].id, survivor.id);
  const all = await find(`${stranger.phone},${other.phone}`, "&archived=include");
  assert.deepEqual(all.map(({ id }: { id: string }) => id), [stranger.id, survivor.id]);
});

Deno.test("no other contact takes the further phone, and the survivor itself may", async () => {
  const [{ survivor, other }, stranger] = [await merged(), await newContact({ name: "Z" })];
  const { phone } = other;
  const person = await personToken(company.member_id);
  const alone = await ask("PATCH", `/contacts/${stranger.id}`, { phone });
  const among = await ask("PATCH", "/contacts/batch?atomic=true", {
    items: [{ id: stranger.id, phone }],
  });
  for (const { status, body } of [alone, among]) {
    assert.deepEqual([status, body.code, body.existing_id], [409, "conflict", survivor.id]);
  }
  const at = `/contacts?id=eq.${stranger.id}`;
  assert.equal((await rest(person, "PATCH", at, { json: { phone } })).status, 409);
  const json = { company_id: company.id, phone };
  assert.equal((await rest(person, "POST", "/contacts", { json })).status, 409);
  assert.equal((await ask("PATCH", `/contacts/${survivor.id}`, { phone })).status, 200);
});

Deno.test("a restored survivor has its further phone again, unless another contact has it by then", async () => {
  for (const isTaken of [false, true]) {
    const { survivor, other } = await merged();
    await ask("DELETE", `/contacts/${survivor.id}`);
    const fresh = isTaken ? await newContact({ phone: other.phone }) : survivor;
    assert.equal((await ask("POST", `/contacts/${survivor.id}/restore`)).status, 200);
    await ask("DELETE", `/contacts/${isTaken ? fresh.id : crypto.randomUUID()}`);
    const found = (await find(other.phone)).map(({ id }: { id: string }) => id);
    assert.deepEqual(found, isTaken ? [] : [survivor.id]);
  }
});

Deno.test("what cannot be merged is refused, and nothing is written", async () => {
  const [contact, archived, erased] = [await newContact(), await newContact(), await newContact()];
  await ask("DELETE", `/contacts/${archived.id}`);
  await ask("POST", `/contacts/${erased.id}/erase`, { confirm: erased.id });
  const unknown = crypto.randomUUID();
  for (const from of [contact.id, unknown, foreign.contact_id, archived.id, erased.id]) {
    assertField(await merge(contact.id, from), "from");
  }
  for (const json of [{}, { from: "x" }, { from: null }]) {
    assertField(await ask("POST", `/contacts/${contact.id}/merge`, json), "from");
  }
  assertField(await ask("POST", `/contacts/${contact.id}/merge`, { from: unknown, to: 1 }), "to");
  for (const id of [unknown, foreign.contact_id, archived.id, erased.id]) {
    const { status, body } = await merge(id, contact.id);
    assert.deepEqual([status, body.code], [404, "not_found"]);
  }
  const json = { from: company.contact_id };
  for (const key of [keys.read, keys.messaging]) {
    const { status } = await call(key, "POST", `/contacts/${contact.id}/merge`, { json });
    assert.equal(status, 403);
  }
  assert.deepEqual((await ask("GET", `/contacts/${contact.id}`)).body.data, contact);
});

Deno.test("a merge is done once, on condition that the survivor is as it was read", async () => {
  const [survivor, other] = [await newContact(), await newContact({ name: "Ada" })];
  const stale = await merge(survivor.id, other.id, { "If-Match": '"1"' });
  assert.deepEqual([stale.status, stale.headers.get("ETag")], [412, `"${survivor.version}"`]);
  const headers = { "If-Match": `"${survivor.version}"`, "Idempotency-Key": `m-${survivor.id}` };
  const first = await merge(survivor.id, other.id, headers);
  assert.deepEqual([first.status, first.body.data.name], [200, "Ada"]);
  assert.equal(first.headers.get("ETag"), `"${first.body.data.version}"`);
  const replayed = await merge(survivor.id, other.id, headers);
  assert.deepEqual([replayed.status, replayed.headers.get("Idempotent-Replayed")], [200, "true"]);
  const repeated = await merge(survivor.id, other.id);
  assert.deepEqual([repeated.status, repeated.body.data], [200, first.body.data]);
});

Deno.test("a repeat of a request whose contact was merged since answers the survivor", async () => {
  const json = { phone: anyPhone() };
  const headers = { "Idempotency-Key": `c-${json.phone}` };
  const { id } = (await ask("POST", "/contacts", json, headers)).body.data;
  const survivor = await newContact();
  await merge(survivor.id, id);
  const { status, body } = await ask("POST", "/contacts", json, headers);
  assert.deepEqual([status, body.data.id], [201, survivor.id]);
});

Deno.test("the changes show the survivor, and where the merged contact went", async () => {
  const start = (await ask("GET", "/contacts/changes?start=now")).body.pagination.next_cursor;
  const { survivor, other } = await merged();
  const { data } = (await ask("GET", `/contacts/changes?cursor=${start}`)).body;
  const of = (id: string) => data.find((row: { id: string }) => row.id === id);
  assert.deepEqual(of(survivor.id), survivor);
  const { deleted_at, ...gone } = of(other.id);
  assert.ok(Math.abs(Date.parse(deleted_at) - Date.now()) < 60_000);
  assert.deepEqual(gone, { id: other.id, company_id: company.id, merged_into: survivor.id });
});

Deno.test("erasing the survivor erases what the merged one was", async () => {
  const key = anyPhone();
  const other = (await ask("POST", "/contacts", { phone: anyPhone(), do_not_contact: true }, {
    "Idempotency-Key": key,
  })).body.data;
  const survivor = await newContact();
  const row = { company_id: company.id, contact_id: other.id };
  const id = await withDatabase(async (sql) => {
    const [{ id: conversation_id }] = await sql`
      insert into conversations ${sql({ ...row, messaging_account_id: company.account_id })}
      returning id
    `;
    return await addSentMessage(sql, { id: company.id, conversation_id }, {});
  });
  await merge(survivor.id, other.id);
  await ask("POST", `/contacts/${survivor.id}/erase`, { confirm: survivor.id });
  assert.deepEqual(await find(other.phone, "&archived=include"), []);
  assert.equal((await ask("GET", `/contacts/${other.id}`)).body.data.id, survivor.id);
  const left = await withDatabase((sql) =>
    sql`select key from idempotency_keys where company_id = ${company.id} and key = ${key}`
  );
  assert.deepEqual([...left], []);
  assert.ok(id);
  const again = await newContact({ phone: other.phone });
  assert.deepEqual([again.do_not_contact, again.id === survivor.id], [true, false]);
});
