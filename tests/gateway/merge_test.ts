// Tests merging two contacts. The survivor is the contact that remains. It takes over the phone
// number and some values of the merged contact. Also tests merges that are refused.
import assert from "node:assert/strict";
import { assertField, call } from "../support/calls.ts";
import { messagesFrom, nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { newCompany } from "../support/company.ts";
import { mergesOf } from "../support/merging.ts";
import { personToken, rest } from "../support/rest.ts";
import { sendTemplate, template } from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

const [company, foreign] = [await newCompany(), await newCompany()];
const { keys } = company;
const { ask, find, merge, merged, newContact } = mergesOf(company);

Deno.test("after a merge, every request with the merged contact's phone number applies to the survivor", async () => {
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
  assert.deepEqual(await find(other.phone, "&name=Grace"), [], "other filters apply too");

  const created = await ask("POST", "/contacts", { phone: other.phone });
  assert.deepEqual([created.status, created.body.existing_id], [409, survivor.id]);
  const put = await ask("PUT", "/contacts", { phone: other.phone, empresa: "Café" });
  assert.deepEqual([put.status, put.body.data.id, put.body.data.phone], [
    ...[200, survivor.id, survivor.phone],
  ]);
  assert.equal((await sendTemplate(keys.messaging, template(other.phone))).body.success, true);
  const app = await withDatabase((sql) => nameChannelApp(sql, company.account_id));
  const event = messagesFrom(other.phone, company.phone_number_id, [{ text: { body: "Oi" } }]);
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

Deno.test("only the survivor can change its phone number to the merged contact's number", async () => {
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
  // An archived contact can get the phone number, but the contact cannot be restored after that.
  const archived_at = new Date().toISOString();
  assert.equal((await rest(person, "PATCH", at, { json: { phone, archived_at } })).status, 200);
  const back = { json: { archived_at: null } };
  assert.equal((await rest(person, "PATCH", at, back)).status, 409);
  const restored = await ask("POST", `/contacts/${stranger.id}/restore`);
  assert.deepEqual([restored.status, restored.body.existing_id], [409, survivor.id]);
  assert.equal((await ask("PATCH", `/contacts/${survivor.id}`, { phone })).status, 200);
});

Deno.test("a restored survivor has the merged contact's phone number again, unless another contact now has the number", async () => {
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

Deno.test("an impossible merge is refused and writes nothing", async () => {
  const large = (field: string) => ({ custom_fields: { [field]: Array(8000).fill(0) } });
  const [contact, full] = [await newContact(large("a")), await newContact(large("b"))];
  const [archived, erased] = [await newContact(), await newContact()];
  await ask("DELETE", `/contacts/${archived.id}`);
  await ask("POST", `/contacts/${erased.id}/erase`, { confirm: erased.id });
  const unknown = crypto.randomUUID();
  const refused = [contact.id, full.id, unknown, foreign.contact_id, archived.id, erased.id];
  for (const from of refused) {
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

Deno.test("a merge with `If-Match` happens only if the survivor is unchanged", async () => {
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
