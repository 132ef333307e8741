import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { NEW_CONTACT } from "../support/contacts.ts";
import { type Answer, assertField, call } from "../support/calls.ts";
import { statement } from "../support/test_stack.ts";

const company = await newCompany();

function post(json: unknown): Promise<Answer> {
  return call(company.keys.all, "POST", "/contacts", { json });
}
function patch(id: string, json: unknown): Promise<Answer> {
  return call(company.keys.all, "PATCH", `/contacts/${id}`, { json });
}

Deno.test("a contact requires only a phone number, and every other field has a default", async () => {
  const phone = anyPhone();
  const { status, body } = await post({ phone });
  assert.equal(status, 201);
  const { id, created_at, updated_at, version, ...rest } = body.data;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(created_at, updated_at);
  assert.match(version, /^[0-9]+$/);
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  assert.deepEqual(rest, { ...NEW_CONTACT, company_id: company.id, phone });
});

const FULL = {
  name: "Łucja 王 🎈",
  email: "lucja.o'neil+crm@exämple.com.br",
  temperature: "hot",
  tags: ["vip", "São Paulo"],
  source: "landing page",
  job_title: "Compradora",
  empresa: "Padaria Três Irmãos",
  custom_fields: { plan: "gold", seats: 3, ratio: 0.1, nested: { list: [1, null, "ü", true] } },
  do_not_contact: true,
  marketing_opt_out: true,
  is_active: false,
};

Deno.test("every field is stored and returned as it was sent", async () => {
  const contact = { ...FULL, phone: anyPhone() };
  const { body } = await post(contact);
  const sent = Object.keys(contact) as (keyof typeof contact)[];
  for (const field of sent) assert.deepEqual(body.data[field], contact[field], field);
  const list = await call(company.keys.read, "GET", "/contacts?limit=200");
  const listed = list.body.data.find((each: { id: string }) => each.id === body.data.id);
  assert.deepEqual(listed, body.data);
});

Deno.test("an update keeps omitted fields, and null clears a nullable field", async () => {
  const phone = anyPhone();
  const created = (await post({ ...FULL, phone })).body.data;
  const kept = await patch(created.id, { phone });
  assert.equal(kept.status, 200);
  const { updated_at, version, ...rest } = kept.body.data;
  assert.ok(updated_at > created.updated_at);
  assert.ok(Number(version) > Number(created.version));
  const { updated_at: _, version: _v, ...before } = created;
  assert.deepEqual(rest, before);

  const cleared = await patch(created.id, {
    phone,
    name: null,
    email: null,
    job_title: null,
    empresa: null,
    tags: [],
    custom_fields: {},
    temperature: "cold",
  });
  const { name, email, job_title, empresa, tags, custom_fields, temperature, source } =
    cleared.body.data;
  assert.deepEqual(
    [name, email, job_title, empresa, tags, custom_fields, temperature, source],
    [null, null, null, null, [], {}, "cold", "landing page"],
  );
});

Deno.test("`phone` is required to create and to update a contact", async () => {
  assertField(await post({ name: "Ada" }), "phone", /^is required$/);
  assertField(await patch(company.contact_id, { name: "Ada" }), "phone", /^is required/);
  assertField(await post({ phone: null }), "phone", "must not be null");
});

Deno.test("a field with a wrong type or format is refused, and the error states the required format", async () => {
  const wrong: [string, unknown, RegExp, string?][] = [
    ["name", 5, /^must be a string$/],
    ["name", "x".repeat(256), /^must have at most 255 characters$/],
    ["name", "a\u0000b", /null character/],
    ["name", "\ud800", /surrogate/],
    ["email", "not an email", /^must be an email address$/],
    ["email", "a@b", /^must be an email address$/],
    ["email", "", /^must be an email address$/],
    ["email", `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(200)}.com`, /./],
    ["temperature", "boiling", /^must be one of cold, warm, hot$/],
    ["temperature", "Warm", /^must be one of cold, warm, hot$/],
    ["tags", "vip", /^must be an array$/],
    ["tags", { 0: "vip" }, /^must be an array$/],
    ["tags", Array(1001).fill("same"), /^must have at most 50/],
    ["tags", ["ok", 1], /^must be a string$/, "tags.1"],
    ["tags", ["x".repeat(65)], /^must have at most 64 characters$/, "tags.0"],
    ["tags", [" "], /^must not be empty$/, "tags.0"],
    ["tags", Array.from({ length: 51 }, (_, i) => `t${i}`), /^must have at most 50/],
    ["custom_fields", [], /^must be an object$/],
    ["custom_fields", "{}", /^must be an object$/],
    ["do_not_contact", "true", /^must be true or false$/],
    ["do_not_contact", 1, /^must be true or false$/],
    ["marketing_opt_out", "true", /^must be true or false$/],
    ["is_active", null, /^must not be null$/],
  ];
  for (const [field, value, message, named = field] of wrong) {
    assertField(await post({ phone: anyPhone(), [field]: value }), named, message);
  }
});

Deno.test("values of the maximum length are accepted, and the length is counted in characters", async () => {
  const contact = {
    phone: anyPhone(),
    name: "🎈".repeat(255),
    email: `${"a".repeat(64)}@${`${"b".repeat(62)}.`.repeat(4)}com`,
    tags: Array.from({ length: 50 }, (_, i) => `${i}`.padEnd(64, "ü")),
    custom_fields: { x: "x".repeat(16 * 1024 - '{"x":""}'.length) },
  };
  const { status, body } = await post(contact);
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(body.data.custom_fields, contact.custom_fields);
  assert.deepEqual([body.data.name, body.data.tags], [contact.name, contact.tags]);
});

Deno.test("strings are trimmed, and duplicate tags are removed", async () => {
  const contact = {
    phone: anyPhone(),
    name: "  Ada \n",
    tags: ["a", " a", "b", "a"],
    source: " x ",
  };
  const { data } = (await post(contact)).body;
  assert.deepEqual([data.name, data.tags, data.source], ["Ada", ["a", "b"], "x"]);
});

Deno.test("a custom field that cannot be stored exactly is refused, and the error names its path", async () => {
  const deep = (levels: number) => JSON.parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels));
  const wrong: [string, string, RegExp][] = [
    ['{"a":1e400}', "custom_fields.a", /cannot be kept exactly/],
    ['{"a":1e-400}', "custom_fields.a", /cannot be kept exactly/],
    ['{"a":[{"b":9007199254740993}]}', "custom_fields.a.0.b", /cannot be kept exactly/],
    ['{"a":0.12345678901234567890123}', "custom_fields.a", /cannot be kept exactly/],
    // These numbers are short in JSON, but have hundreds of digits in the database.
    [`{"a":[${Array(200).fill("5e-324").join(",")}]}`, "custom_fields", /^must be at most 16 KiB/],
    [`{"a":[${Array(200).fill("1e308").join(",")}]}`, "custom_fields", /^must be at most 16 KiB/],
    ['{"a":"x\\u0000"}', "custom_fields.a", /null character/],
    ['{"a":"\\udc00"}', "custom_fields.a", /surrogate/],
    ['{"\\u0000":1}', "custom_fields", /key/],
    [`{"x":"${"x".repeat(16 * 1024 - 7)}"}`, "custom_fields", /^must be at most 16 KiB of JSON$/],
    [JSON.stringify(deep(33)), "custom_fields", /deeper than 32/],
    ["[".repeat(5) + "]".repeat(5), "custom_fields", /must be an object/],
    [`{"a":${"[".repeat(60)}${"]".repeat(60)}}`, "custom_fields", /deeper than 32/],
  ];
  for (const [custom, field, message] of wrong) {
    const body = `{"phone":"${anyPhone()}","custom_fields":${custom}}`;
    const headers = { "Content-Type": "application/json" };
    const answer = await call(company.keys.all, "POST", "/contacts", { body, headers });
    assertField(answer, field, message);
  }
  const kept =
    '{"__proto__":{"a":1},"constructor":2,"":3,"n":-0.000001,"big":9007199254740991,"e":1.50e2,"z":0.0}';
  const body = `{"phone":"${anyPhone()}","custom_fields":${kept}}`;
  const headers = { "Content-Type": "application/json" };
  const answer = await call(company.keys.all, "POST", "/contacts", { body, headers });
  assert.equal(answer.status, 201);
  const stored = Object.entries(answer.body.data.custom_fields).sort();
  assert.deepEqual(stored, Object.entries(JSON.parse(kept)).sort());
  assert.equal((await post({ phone: anyPhone(), custom_fields: deep(32) })).status, 201);
});

Deno.test("creating or updating a contact with another contact's phone number returns a 409 with that contact's id", async () => {
  const phone = anyPhone();
  const first = (await post({ phone })).body.data;
  const again = await post({ phone, name: "Other" });
  assert.deepEqual([again.status, again.body.code], [409, "conflict"]);
  assert.equal(again.body.existing_id, first.id);
  const second = (await post({ phone: anyPhone() })).body.data;
  const moved = await patch(second.id, { phone });
  assert.deepEqual([moved.status, moved.body.existing_id], [409, first.id]);
  assert.equal((await patch(first.id, { phone })).status, 200);
});

Deno.test("the source and time of an opt-out are read-only for callers", async () => {
  const { body: { data: made } } = await post({ phone: anyPhone(), do_not_contact: true });
  assert.equal(made.do_not_contact_source, "manual");
  assert.ok(Math.abs(Date.parse(made.do_not_contact_at) - Date.now()) < 60_000);
  for (
    const field of [
      ...["do_not_contact_source", "do_not_contact_at", "marketing_opt_out_source"],
      "marketing_opt_out_at",
    ]
  ) {
    const other = field.endsWith("_at") ? "2026-01-01T12:00:00Z" : "word";
    const answer = await patch(made.id, { phone: made.phone, [field]: other });
    assertField(answer, field, /read-only/);
  }
  const at = "2026-01-01T12:00:00+00:00";
  await statement`update contacts set marketing_stopped_at = ${at} where id = ${made.id}`;
  const since = async () => {
    const path = `/contacts?id=${made.id}&marketing_opt_out_at[lte]=${encodeURIComponent(at)}`;
    const { body } = await call(company.keys.read, "GET", path);
    return body.data.map((row: Record<string, unknown>) => row.marketing_opt_out_at);
  };
  assert.deepEqual(await since(), [at]);
  await statement`update contacts set marketing_resumed_at = now() where id = ${made.id}`;
  assert.deepEqual(await since(), []);
});

Deno.test("a contact without a known phone number is returned with `phone` null, and an update must set a phone number", async () => {
  const company = await newCompany();
  const [{ id }] = await statement`
    insert into contacts (company_id, name, has_identity) values (${company.id}, 'Bia', true) returning id
  `;
  const read = async (path: string) => (await call(company.keys.read, "GET", path)).body.data;
  assert.equal((await read(`/contacts/${id}`)).phone, null);
  const ids = async (query: string) =>
    (await read(`/contacts?${query}`)).map((row: { id: string }) => row.id);
  assert.deepEqual(await ids("phone[empty]=true"), [id]);
  assert.deepEqual(await ids("phone[empty]=false"), [company.contact_id]);
  assert.ok((await ids("phone[ne]=%2B15550100")).includes(id));
  assert.deepEqual(await ids("q=bia"), [id]);
  const changed = (await read("/contacts/changes")).find((row: { id: string }) => row.id === id);
  assert.ok(changed === undefined || changed.phone === null);

  const update = (json: unknown) => call(company.keys.write, "PATCH", `/contacts/${id}`, { json });
  assertField(await update({ name: "Beatriz" }), "phone", /is required/);
  assertField(await update({ phone: null }), "phone", /./);
  const phone = anyPhone();
  assert.equal((await update({ phone })).body.data.phone, phone);
  assert.deepEqual(await ids("phone[empty]=true"), []);
});
