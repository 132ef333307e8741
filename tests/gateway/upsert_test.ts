// Tests PUT /contacts, which creates a contact or updates the contact that has the phone number.
// Also tests POST /contacts, which uses the same database function but only creates contacts.
import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { HUGE, NEW_CONTACT, spellings } from "../support/contacts.ts";
import {
  type Answer,
  assertField,
  assertHeaderRefused,
  call,
  untilServed,
} from "../support/calls.ts";
import { statement } from "../support/test_stack.ts";

const company = await newCompany();
const other = await newCompany();

function put(json: unknown, query = "", headers: Record<string, string> = {}): Promise<Answer> {
  return call(company.keys.write, "PUT", `/contacts${query}`, { json, headers });
}

function post(json: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return call(company.keys.write, "POST", "/contacts", { json, headers });
}

async function read(id: string) {
  return (await call(company.keys.read, "GET", `/contacts/${id}`)).body.data;
}

const FULL = {
  name: "Ada",
  email: "ada@example.com",
  temperature: "hot",
  tags: ["vip"],
  source: "fair",
  job_title: "Analyst",
  empresa: "Engines",
  custom_fields: { plan: { name: "silver", seats: 3 }, trial: true },
  do_not_contact: false,
  is_active: true,
};

Deno.test("PUT creates a contact, or finds it by its phone number in any format and keeps the stored format", async () => {
  const [phone, spelling] = spellings();
  const created = await put({ phone, tags: ["a", "a"], custom_fields: { a: null } });
  assert.equal(created.status, 201);
  const { id, version, created_at, updated_at, ...rest } = created.body.data;
  assert.equal(created.headers.get("ETag"), `"${version}"`);
  assert.equal(created_at, updated_at);
  const given = { company_id: company.id, phone, tags: ["a"], custom_fields: { a: null } };
  assert.deepEqual(rest, { ...NEW_CONTACT, ...given });
  const full = await put({ ...FULL, phone: spelling });
  assert.deepEqual([full.status, full.body.data.id], [200, id]);
  for (const [field, value] of Object.entries(FULL)) {
    assert.deepEqual(full.body.data[field], value, field);
  }
  assert.deepEqual(full.body.data, await read(id));

  const changed = await put({ phone: spelling, name: null, custom_fields: { own: 1 }, tags: [] });
  assert.equal(changed.headers.get("ETag"), `"${changed.body.data.version}"`);
  const { version: _, updated_at: _at, ...now } = changed.body.data;
  const { version: _v, updated_at: _u, ...before } = full.body.data;
  assert.deepEqual(now, { ...before, name: null, custom_fields: { own: 1 }, tags: [], phone });
});

Deno.test("a write that changes nothing keeps the record's version and does not count as a manual change", async () => {
  const phone = anyPhone();
  const { id, version } = (await put({ ...FULL, phone })).body.data;
  assert.equal((await put({ ...FULL, phone })).body.data.version, version);
  await statement`update contacts set stop_word_at = now() where id = ${id}`;
  const stopped = (await put({ phone, do_not_contact: true })).body.data;
  assert.deepEqual([stopped.do_not_contact, stopped.do_not_contact_source], [true, "word"]);
  const own = (await put({ phone, do_not_contact: false })).body.data;
  assert.deepEqual([own.do_not_contact, own.do_not_contact_source], [false, "manual"]);
});

Deno.test("`on_conflict=keep` fills only fields that are null or empty", async () => {
  const [phone, spelling] = spellings();
  const started = { phone, name: "Ada", empresa: "", custom_fields: { a: 1, b: null, c: {} } };
  const { id } = (await put(started, "?on_conflict=keep")).body.data;
  const custom_fields = { a: 2, b: { n: null }, c: [1], d: null };
  const filled = await put(
    { ...FULL, phone: spelling, name: "Eva", custom_fields },
    "?on_conflict=keep",
  );
  assert.equal(filled.status, 200);
  const { name, email, tags, temperature, source, empresa, ...rest } = filled.body.data;
  assert.deepEqual(
    [rest.id, rest.phone, name, email, tags, temperature, source, empresa, rest.custom_fields],
    [id, phone, "Ada", FULL.email, ["vip"], "warm", "api", "Engines", {
      a: 1,
      b: { n: null },
      c: [1],
      d: null,
    }],
  );
  const again = await put({ ...FULL, phone, email: "b@example.com" }, "?on_conflict=keep");
  assert.equal(again.body.data.custom_fields.trial, true);
  assert.equal(again.body.data.email, FULL.email);
  const same = await put({ ...FULL, phone, email: "b@example.com" }, "?on_conflict=keep");
  assert.equal(same.body.data.version, again.body.data.version);

  // Each half of the custom fields is within the limit, but both halves together are too large.
  const half = (name: string) => ({ [name]: "x".repeat(9_000) });
  assert.equal((await put({ phone, custom_fields: half("one") })).status, 200);
  const full = { phone, name: "Eva", custom_fields: half("other") };
  const kept = await put(full, "?on_conflict=keep");
  assertField(kept, "custom_fields", "must be at most 16 KiB of JSON");
  assert.deepEqual((await read(id)).custom_fields, half("one"));
});

Deno.test("a field that PUT does not accept is refused, and the error names it", async () => {
  const phone = anyPhone();
  assertField(await put({ name: "Ada" }), "phone", "is required");
  for (const wrong of ["fail", "", "Update"]) {
    const answer = await put({ phone }, `?on_conflict=${wrong}`);
    assertField(answer, "on_conflict", "must be update, merge or keep");
  }
  assertField(await put({ phone }, "?atomic=true"), "atomic");
  assertField(await put({ phone, custom_fields: HUGE }), "custom_fields", /16 KiB/);
  assertField(await put({ phone, id: company.contact_id }), "id", "is read-only");
  const onlyNew = await put({ phone }, "", { "If-None-Match": "*" });
  assertHeaderRefused(onlyNew, "If-None-Match", /POST to create a record only if there is none/);
  const list = await call(company.keys.read, "GET", `/contacts?phone=${encodeURIComponent(phone)}`);
  assert.deepEqual(list.body.data, []);
});

Deno.test("exactly one of fifty simultaneous PUTs creates the contact, and the others update the same contact", async () => {
  const spelled = spellings();
  const answers = await Promise.all(
    Array.from(
      { length: 50 },
      (_, n) =>
        untilServed(() =>
          put({ phone: spelled[n % 2], tags: [`${n}`] }, n % 3 === 0 ? "?on_conflict=keep" : "")
        ),
    ),
  );
  const [{ id }] = answers.map(({ body }) => body.data);
  assert.deepEqual(answers.map(({ status }) => status).sort().slice(-2), [200, 201]);
  for (const [n, { status, body }] of answers.entries()) {
    assert.equal(body.data.id, id);
    if (n % 3 !== 0 || status === 201) assert.deepEqual(body.data.tags, [`${n}`]);
    else assert.equal(body.data.tags.length, 1);
  }
  const ids = await statement`
    select id from contacts where company_id = ${company.id} and phone = any (${spelled})
  `;
  assert.deepEqual([...ids], [{ id }]);
});

Deno.test("PUT with a merged contact's phone number finds the survivor", async () => {
  const [own, [theirs, spelled]] = [anyPhone(), spellings()];
  const survivor = (await put({ phone: own, name: "Ada" })).body.data;
  const gone = (await put({ phone: theirs })).body.data;
  await statement`select app.merge_contacts(${company.id}, ${survivor.id}, ${gone.id})`;
  const met = await put({ phone: spelled, job_title: "Countess" });
  const { id, phone, name, job_title } = met.body.data;
  assert.deepEqual(
    [met.status, id, phone, name, job_title],
    [200, survivor.id, own, "Ada", "Countess"],
  );
  const refused = await post({ phone: theirs });
  assert.deepEqual([refused.status, refused.body.existing_id], [409, survivor.id]);
});

Deno.test("a PUT with `If-Match` writes only if the version is unchanged, and creates no contact", async () => {
  const [phone, spelling] = spellings();
  for (const ifMatch of ["*", '"1"']) {
    const { status, headers, body } = await put({ phone }, "", { "If-Match": ifMatch });
    assert.deepEqual([status, body.code, headers.get("ETag")], [412, "precondition_failed", null]);
    assert.ok(!("etag" in body));
    assert.match(body.error, /^The record does not exist, so nothing was written/);
  }
  const { id, version } = (await put({ phone })).body.data;
  const matching = await put({ phone: spelling, name: "Ada" }, "", {
    "If-Match": `"1", "${version}"`,
  });
  assert.deepEqual([matching.status, matching.body.data.name], [200, "Ada"]);
  const etag = matching.headers.get("ETag")!;
  for (const ifMatch of [`"${version}"`, '"07"', '"x"']) {
    const { status, headers, body } = await put({ phone, name: "Eva" }, "", {
      "If-Match": ifMatch,
    });
    assert.deepEqual([status, headers.get("ETag"), body.etag], [412, etag, etag]);
  }
  assert.equal((await put({ phone, name: "Eve" }, "", { "If-Match": "*" })).status, 200);
  assert.equal((await read(id)).name, "Eve");

  const { version: present } = await read(id);
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      (_, n) => untilServed(() => put({ phone, name: `${n}` }, "", { "If-Match": `"${present}"` })),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array(19).fill(412)]);
});

Deno.test("the phone number of another company's contact counts as unknown, and that contact remains unchanged", async () => {
  const [phone, spelling] = spellings();
  const json = { phone, name: "Theirs" };
  const theirs = await call(other.keys.write, "PUT", "/contacts", { json });
  const own = await put({ phone: spelling, name: "Own" });
  assert.deepEqual([own.status, own.body.data.company_id], [201, company.id]);
  const again = await call(other.keys.write, "PUT", "/contacts", { json });
  assert.deepEqual([again.status, again.body], [200, theirs.body]);
});

Deno.test("a repeated POST returns the current contact, and a failed POST can be repeated with its idempotency key", async () => {
  const [phone, spelling] = spellings();
  const key = crypto.randomUUID();
  const headers = { "Idempotency-Key": key };
  assertField(await post({ phone, custom_fields: HUGE }, headers), "custom_fields", /16 KiB/);
  const first = await post({ phone, name: "Ada" }, headers);
  assert.deepEqual([first.status, first.headers.get("Idempotent-Replayed")], [201, null]);
  await put({ phone, name: "Eve" });
  const repeat = await post({ name: "Ada", phone }, headers);
  assert.deepEqual([repeat.status, repeat.headers.get("Idempotent-Replayed")], [201, "true"]);
  assert.deepEqual(repeat.body.data, await read(first.body.data.id));
  assert.equal(repeat.body.data.name, "Eve");
  assert.equal(repeat.headers.get("ETag"), `"${repeat.body.data.version}"`);
  const reused = await post({ phone: spelling, name: "Ada" }, headers);
  assert.deepEqual([reused.status, reused.body.code], [422, "idempotency_key_reused"]);
  const conflict = await post({ phone: spelling }, { "Idempotency-Key": crypto.randomUUID() });
  assert.deepEqual([conflict.status, conflict.body.existing_id], [409, first.body.data.id]);
  await statement`delete from contacts where id = ${first.body.data.id}`;
  const gone = await post({ phone, name: "Ada" }, headers);
  assert.deepEqual([gone.status, gone.body.code], [404, "not_found"]);
});
