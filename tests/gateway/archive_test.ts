// Tests that contacts and deals can be archived and restored without losing data.
import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { type Answer, assertField, call } from "../support/calls.ts";
import { hidePhone, replyIn, sendReply, writes } from "../support/replying.ts";
import { personToken, rest } from "../support/rest.ts";

const company = await newCompany();
const { keys, stage_ids: [stage_id] } = company;

function ask(method: string, path: string, json?: unknown, headers = {}): Promise<Answer> {
  return call(keys.all, method, path, { json, headers });
}

// deno-lint-ignore no-explicit-any -- a contact as the API returns it
async function newContact(fields: Record<string, unknown> = {}): Promise<any> {
  return (await ask("POST", "/contacts", { phone: anyPhone(), name: "Ada", ...fields })).body.data;
}

// deno-lint-ignore no-explicit-any -- a deal as the API returns it
async function newDeal(contact_id: string, title = "Vans"): Promise<any> {
  return (await ask("POST", "/deals", { title, contact_id, stage_id })).body.data;
}

async function archive(path: string) {
  assert.equal((await ask("DELETE", path)).status, 204);
}

async function idsAt(path: string): Promise<string[]> {
  const { status, body } = await ask("GET", path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ id }: { id: string }) => id);
}

Deno.test("an archived record is returned only if the request asks for archived records, and a restored record has its earlier values", async () => {
  const word = `zq${crypto.randomUUID().slice(0, 8)}`;
  const contact = await newContact({ name: word, tags: [word] });
  const deal = await newDeal(contact.id, word);
  const records = [["/contacts", contact], ["/deals", deal]] as const;
  for (const [list, record] of records) {
    const path = `${list}/${record.id}`;
    await archive(path);
    const finds = [`${list}?id=${record.id}`, `${list}?q=${word}`, `${list}?limit=200`];
    for (const find of finds) {
      assert.ok(!(await idsAt(find)).includes(record.id), find);
      for (const archived of ["include", "only"]) {
        assert.ok((await idsAt(`${find}&archived=${archived}`)).includes(record.id), find);
      }
    }
    assert.ok(!(await idsAt(`/search?q=${word}`)).includes(record.id));
    assert.ok((await idsAt(`/search?q=${word}&archived=include`)).includes(record.id));
    assert.ok((await idsAt(`/search?q=${word}&archived=only`)).includes(record.id));
    const hidden = await ask("GET", path);
    assert.deepEqual([hidden.status, hidden.body.code], [404, "not_found"]);
    const shown = (await ask("GET", `${path}?archived=only`)).body.data;
    assert.ok(Math.abs(Date.parse(shown.archived_at) - Date.now()) < 60_000);

    // Archiving a record a second time changes nothing.
    await archive(path);
    assert.deepEqual((await ask("GET", `${path}?archived=include`)).body.data, shown);

    const restored = await ask("POST", `${path}/restore`);
    assert.equal(restored.status, 200);
    assert.equal(restored.headers.get("ETag"), `"${restored.body.data.version}"`);
    const { updated_at: _, version, ...row } = restored.body.data;
    const { updated_at: __, version: before, ...original } = record;
    assert.deepEqual(row, original);
    assert.deepEqual(Object.keys(restored.body.data), Object.keys(record), "the order of fields");
    assert.ok(Number(version) > Number(before));
    const again = await ask("POST", `${path}/restore`);
    assert.deepEqual([again.status, again.body], [200, restored.body]);
    assert.equal((await ask("GET", `${path}?archived=only`)).status, 404);
  }
});

Deno.test("a cursor is refused if the next request has a different `archived` parameter", async () => {
  await archive(`/contacts/${(await newContact()).id}`);
  await archive(`/contacts/${(await newContact()).id}`);
  const first = await ask("GET", "/contacts?archived=only&limit=1&include_total=true");
  assert.ok(first.body.pagination.total >= 2);
  const cursor = first.body.pagination.next_cursor;
  const next = await ask("GET", `/contacts?archived=only&limit=1&cursor=${cursor}`);
  assert.equal(next.status, 200);
  assert.notEqual(next.body.data[0].id, first.body.data[0].id);
  assertField(await ask("GET", `/contacts?cursor=${cursor}`), "cursor");
  for (const path of ["/contacts", `/contacts/${company.contact_id}`, "/search"]) {
    assertField(await ask("GET", `${path}?q=ada&archived=true`), "archived");
  }
  assertField(await ask("GET", "/teams?archived=only"), "archived");
});

Deno.test("an archived contact's phone number is free, and the contact cannot be restored while another contact has the number", async () => {
  const [phone, spelled] = ["+5511987650001", "+551187650001"];
  const old = await newContact({ phone });
  const taken = await ask("POST", "/contacts", { phone: spelled });
  assert.deepEqual([taken.status, taken.body.existing_id], [409, old.id]);
  await archive(`/contacts/${old.id}`);
  const fresh = await newContact({ phone: spelled });
  const at = (archived: string) =>
    idsAt(`/contacts?phone=${encodeURIComponent(phone)}&archived=${archived}`);
  assert.deepEqual(await at("exclude"), [fresh.id]);
  assert.deepEqual(await at("only"), [old.id]);
  assert.deepEqual(await at("include"), [fresh.id, old.id]);
  const others = await idsAt(
    `/contacts?phone[ne]=${encodeURIComponent(phone)}&archived=include&limit=200`,
  );
  assert.ok(!others.includes(old.id) && !others.includes(fresh.id));

  const key = { "Idempotency-Key": crypto.randomUUID() };
  const refused = await ask("POST", `/contacts/${old.id}/restore`, undefined, key);
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.existing_id],
    [409, "conflict", fresh.id],
  );
  await archive(`/contacts/${fresh.id}`);
  // A refused request does not use up its idempotency key.
  const restored = await ask("POST", `/contacts/${old.id}/restore`, undefined, key);
  assert.deepEqual([restored.status, restored.body.data.id], [200, old.id]);
  await archive(`/contacts/${old.id}`);
  const repeat = await ask("POST", `/contacts/${old.id}/restore`, undefined, key);
  assert.deepEqual([repeat.status, repeat.headers.get("Idempotent-Replayed")], [200, "true"]);
  assert.ok(repeat.body.data.archived_at, "a repeated request restores nothing");
});

Deno.test("a contact without a phone number cannot be restored while another contact is the same person, and the error says so", async () => {
  const [old, fresh] = [await newContact(), await newContact()];
  const user_id = crypto.randomUUID();
  await hidePhone({ ...company, contact_id: old.id }, [user_id]);
  await archive(`/contacts/${old.id}`);
  await hidePhone({ ...company, contact_id: fresh.id }, [user_id]);
  const refused = await ask("POST", `/contacts/${old.id}/restore`);
  assert.deepEqual([refused.status, refused.body.existing_id], [409, fresh.id]);
  assert.match(refused.body.error, /^Another contact is now the same person/);
  await archive(`/contacts/${fresh.id}`);
  assert.equal((await ask("POST", `/contacts/${old.id}/restore`)).status, 200);
});

Deno.test("with If-Match, a record is archived only if its version is unchanged, and a repeat of the request succeeds too", async () => {
  const contact = await newContact();
  const deal = await newDeal(contact.id);
  for (
    const [path, { version }] of [[`/deals/${deal.id}`, deal], [`/contacts/${contact.id}`, contact]]
  ) {
    const stale = await ask("DELETE", path, undefined, { "If-Match": '"1"' });
    assert.deepEqual([stale.status, stale.headers.get("ETag")], [412, `"${version}"`]);
    const done = await ask("DELETE", path, undefined, { "If-Match": `"1", "${version}"` });
    assert.deepEqual([done.status, done.body], [204, ""]);
    // The caller repeats the request, because the response was lost.
    const repeat = await ask("DELETE", path, undefined, { "If-Match": `"${version}"` });
    assert.equal(repeat.status, 204);
  }
  const unknown = await ask("DELETE", `/deals/${crypto.randomUUID()}`, undefined, {
    "If-Match": "*",
  });
  assert.equal(unknown.status, 404);
});

Deno.test("changing an archived record returns a 404, and the error says to restore the record first", async () => {
  const contact = await newContact();
  const deal = await newDeal(contact.id);
  await archive(`/deals/${deal.id}`);
  await archive(`/contacts/${contact.id}`);
  const changes = [
    ["/contacts", contact, { phone: contact.phone, name: "Grace" }],
    ["/deals", deal, { status: "won" }],
  ] as const;
  for (const [list, { id }, change] of changes) {
    const before = (await ask("GET", `${list}/${id}?archived=include`)).body.data;
    const one = await ask("PATCH", `${list}/${id}`, change);
    assert.deepEqual([one.status, one.body.code], [404, "not_found"]);
    assert.match(one.body.error, /is archived, so restore it before you change it/);
    const many = await ask("PATCH", `${list}/batch`, { items: [{ id, ...change }] });
    assert.deepEqual([many.status, many.body.data[0].status], [200, 404]);
    assert.deepEqual((await ask("GET", `${list}/${id}?archived=include`)).body.data, before);
  }
});

Deno.test("a batch refuses an archived record with the error that a single request gets", async () => {
  const contact = await newContact();
  const deal = await newDeal(contact.id);
  await archive(`/deals/${deal.id}`);
  await archive(`/contacts/${contact.id}`);
  for (
    const [list, id, change] of [
      ["/contacts", contact.id, { name: "Grace" }],
      ["/deals", deal.id, { title: "Other" }],
    ] as const
  ) {
    const single = await ask("PATCH", `${list}/${id}`, change, {
      "Content-Type": "application/merge-patch+json",
    });
    assert.match(single.body.error, /is archived, so restore it before you change it/);
    const details = [{
      field: "items.0.id",
      message: `is the id of an archived ${list.slice(1, -1)}`,
    }];
    const items = [{ id, ...change }];
    const { body } = await ask("PATCH", `${list}/batch`, { items });
    assert.deepEqual(body.data[0].error, {
      error: single.body.error,
      code: "not_found",
      details,
    });
    const whole = await ask("PATCH", `${list}/batch?atomic=true`, { items });
    const error = `${single.body.error}; nothing was written: ${details[0].field} ${
      details[0].message
    }`;
    assert.deepEqual(
      [whole.status, whole.body.error, whole.body.details],
      [404, error, details],
    );
  }
});

Deno.test("the deals of an archived contact remain and still show the contact, but new deals for the contact are refused", async () => {
  const contact = await newContact();
  const deal = await newDeal(contact.id);
  await archive(`/contacts/${contact.id}`);
  const { body } = await ask("GET", `/deals/${deal.id}?include=contact`);
  assert.deepEqual([body.data.contact.id, body.data.contact.name], [contact.id, "Ada"]);
  assert.ok(body.data.contact.archived_at);
  assert.equal((await ask("PATCH", `/deals/${deal.id}`, { status: "won" })).status, 200);
  const json = { title: "More vans", contact_id: contact.id, stage_id };
  assertField(await ask("POST", "/deals", json), "contact_id", /archived.*restore it first/);
  const batch = await ask("POST", "/deals/batch", {
    items: [json, { ...json, contact_id: company.contact_id }],
  });
  assert.deepEqual(batch.body.data.map(({ status }: Answer) => status), [422, 201]);
});

Deno.test("a reply in the conversation of an archived contact is refused until the contact is restored", async () => {
  const own = await newCompany();
  await writes(own);
  const reply = (query = "") => sendReply(own.keys.all, replyIn(own), query);
  assert.equal((await call(own.keys.all, "DELETE", `/contacts/${own.contact_id}`)).status, 204);
  const refused = await reply();
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.error],
    [409, "conflict", "The contact of the conversation is archived; restore it, then reply"],
  );
  await call(own.keys.all, "POST", `/contacts/${own.contact_id}/restore`);
  assert.equal((await reply("?dry_run=true")).body.outcome, "send");
});

Deno.test("a signed-in user can archive and restore records, but cannot change archived records or delete records", async () => {
  const other = await newCompany();
  const person = await personToken(company.member_id);
  const { contact_id, deal_id } = company;
  const now = { archived_at: "2001-01-01T00:00:00Z" };
  for (const [table, id] of [["deals", deal_id], ["contacts", contact_id]]) {
    const at = (token: string, method: string, json?: unknown) =>
      rest(token, method, `/${table}?id=eq.${id}`, { json });
    const archived = await at(person, "PATCH", now);
    assert.equal(archived.status, 200);
    const { archived_at } = archived.body[0];
    assert.ok(Math.abs(Date.parse(archived_at) - Date.now()) < 60_000);
    // Archiving a record a second time changes nothing. The request's change to another field is
    // ignored too.
    const change = table === "deals" ? { title: "Other" } : { name: "Other" };
    const again = await at(person, "PATCH", { ...now, ...change });
    assert.deepEqual([again.status, again.body[0].archived_at], [200, archived_at]);
    assert.notEqual(again.body[0].title ?? again.body[0].name, "Other");
    const refused = await at(person, "PATCH", change);
    assert.deepEqual([refused.status, refused.body.code], [404, "PT404"]);
    assert.equal((await at(person, "DELETE")).status, 403);
    // A member of another company cannot read or change these records.
    const stranger = await personToken(other.member_id);
    assert.deepEqual((await at(stranger, "PATCH", { archived_at: null })).body, []);
    assert.equal((await at(person, "PATCH", { archived_at: null })).body[0].archived_at, null);
  }
});
