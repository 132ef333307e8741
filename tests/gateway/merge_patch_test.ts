// PATCH with application/merge-patch+json; RFC 7396.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { anyPhone, newCompany } from "../support/company.ts";
import { type Answer, assertField, call } from "../support/calls.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newCompany();
const TYPE = "application/merge-patch+json";

function merge(path: string, patch: unknown, type = TYPE): Promise<Answer> {
  return call(company.keys.write, "PATCH", path, {
    body: JSON.stringify(patch),
    headers: { "Content-Type": type },
  });
}

async function newContact(fields: Record<string, unknown> = {}) {
  const json = { phone: anyPhone(), ...fields };
  const { status, body } = await call(company.keys.write, "POST", "/contacts", { json });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
}

/** The custom fields of a new contact after a patch. */
async function merged(custom_fields: unknown, patch: unknown): Promise<unknown> {
  const { id } = await newContact({ custom_fields });
  const { status, body } = await merge(`/contacts/${id}`, { custom_fields: patch });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.custom_fields;
}

Deno.test("a merge patch of a contact may leave out the phone, and changes what it names", async () => {
  const contact = await newContact({ name: "Ana", email: "ana@example.com", tags: ["vip"] });
  const { status, body } = await merge(`/contacts/${contact.id}`, { name: "Bia", email: null });
  assert.equal(status, 200);
  const { updated_at: _, version: _v, ...rest } = body.data;
  const { updated_at: _u, version: _w, ...before } = contact;
  assert.deepEqual(rest, { ...before, name: "Bia", email: null });
});

Deno.test("deals and conversations take a merge patch too", async () => {
  const deal = await merge(`/deals/${company.deal_id}`, { value: null, title: "Merged" });
  assert.deepEqual([deal.status, deal.body.data.value, deal.body.data.title], [
    200,
    null,
    "Merged",
  ]);
  const path = `/conversations/${company.conversation_id}`;
  const { status, body } = await merge(path, { team_id: company.team_id, assigned_to: null });
  assert.deepEqual([status, body.data.team_id, body.data.assigned_to], [
    200,
    company.team_id,
    null,
  ]);
});

Deno.test("with application/json, phone is required and custom fields are replaced as a whole", async () => {
  const { id, phone } = await newContact({ custom_fields: { a: 1, b: 2 } });
  const json = "application/json; charset=utf-8";
  assertField(await merge(`/contacts/${id}`, { custom_fields: { c: 3 } }, json), "phone");
  const { body } = await merge(`/contacts/${id}`, { phone, custom_fields: { c: null } }, json);
  assert.deepEqual(body.data.custom_fields, { c: null });
});

Deno.test("the examples of RFC 7396 come out as it says, within custom fields", async () => {
  const cases: [unknown, unknown, unknown][] = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 5 }, {}, { a: 5 }],
    [{}, { a: [null, { b: null }] }, { a: [null, { b: null }] }],
  ];
  for (const [target, patch, result] of cases) {
    assert.deepEqual(await merged(target, patch), result, JSON.stringify(patch));
  }
});

/** RFC 7396, section 2. */
function mergePatch(target: unknown, patch: unknown): unknown {
  const isObject = (value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target as object : {}));
  for (const [name, value] of Object.entries(patch as object)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), value));
  }
  return Object.fromEntries(result);
}

Deno.test("the database merges any two documents as RFC 7396 says", async () => {
  const key = fc.constantFrom("a", "b", "c", "ü", "");
  const { document } = fc.letrec((tie) => ({
    document: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(null, true, 1, 0.5, "", 'a "b": c, d', "\\"),
      fc.array(tie("document"), { maxLength: 3 }),
      fc.dictionary(key, tie("document"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const pairs = fc.sample(fc.tuple(document, document), 300);
  await withDatabase(async (sql) => {
    const answers = await sql`
      select
        app.merge_json(pair -> 0, pair -> 1) as merged,
        app.compact_json_bytes(pair -> 0) as bytes
      from jsonb_array_elements(${sql.json(pairs as never)}) with ordinality as pairs (pair, place)
      order by place
    `;
    for (const [at, [target, patch]] of pairs.entries()) {
      const wanted = JSON.parse(JSON.stringify(mergePatch(target, patch)));
      assert.deepEqual(answers[at].merged, wanted, JSON.stringify([target, patch]));
      const bytes = new TextEncoder().encode(JSON.stringify(target)).length;
      assert.equal(answers[at].bytes, bytes, JSON.stringify(target));
    }
  });
});

Deno.test("patches of different keys at once keep all of them", async () => {
  const { id } = await newContact({ custom_fields: { kept: true, nested: { kept: true } } });
  const answers = await Promise.all(
    Array.from(
      { length: 50 },
      (_, at) =>
        merge(`/contacts/${id}`, {
          custom_fields: { [`key${at}`]: at, nested: { [`in${at}`]: at } },
        }),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const { body } = await call(company.keys.read, "GET", `/contacts/${id}`);
  const { nested, ...fields } = body.data.custom_fields;
  assert.equal(Object.keys(fields).length, 51);
  assert.equal(Object.keys(nested).length, 51);
});

Deno.test("null is refused for what cannot be empty, and so is an empty patch", async () => {
  const { id } = await newContact();
  for (const field of ["phone", "temperature", "tags", "source", "custom_fields", "is_active"]) {
    assertField(await merge(`/contacts/${id}`, { [field]: null }), field, /^must be /);
  }
  assertField(await merge(`/deals/${company.deal_id}`, { title: null }), "title", /^must be /);
  for (const patch of [5, [], "text", { a: 1 }]) {
    const custom_fields = merge(`/contacts/${id}`, { custom_fields: patch });
    if (typeof patch === "object" && !Array.isArray(patch)) {
      assert.equal((await custom_fields).status, 200);
    } else assertField(await custom_fields, "custom_fields", "must be an object");
  }
  for (const path of [`/contacts/${id}`, `/deals/${company.deal_id}`]) {
    assertField(await merge(path, {}), "body", /^must have at least one of /);
  }
  for (const patch of [null, [], "text"]) {
    assert.equal((await merge(`/contacts/${id}`, patch)).status, 422);
  }
  assertField(await merge(`/contacts/${id}`, { version: "1" }), "version", "is read-only");
  assertField(await merge(`/contacts/${id}`, { custom_fields_patch: {} }), "custom_fields_patch");
});

Deno.test("the limit of custom fields holds after the merge, to the byte, and a smaller result is taken", async () => {
  const LIMIT = 16 * 1024;
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
  const filled = { a: [1, 2, { b: "c, d: e" }], text: "" };
  filled.text = "é".repeat((LIMIT / 2 - bytes(filled)) / 2);
  const { id } = await newContact({ custom_fields: filled });
  const rest = LIMIT - bytes(filled) - bytes({ more: "" }) + 1; // {} of the two become a comma
  const tooMuch = await merge(`/contacts/${id}`, { custom_fields: { more: "x".repeat(rest + 1) } });
  assertField(tooMuch, "custom_fields", "must be at most 16 KiB of JSON");
  const full = await merge(`/contacts/${id}`, { custom_fields: { more: "x".repeat(rest) } });
  assert.equal(full.status, 200);
  assert.equal(bytes(full.body.data.custom_fields), LIMIT);
  // What the platform has made larger may become smaller, and not larger still.
  const large = "x".repeat(20_000);
  await withDatabase((sql) =>
    sql`update contacts set custom_fields = ${sql.json({ large, a: 1 })} where id = ${id}`
  );
  assertField(await merge(`/contacts/${id}`, { custom_fields: { b: 1 } }), "custom_fields");
  const smaller = await merge(`/contacts/${id}`, { custom_fields: { a: null } });
  assert.deepEqual([smaller.status, smaller.body.data.custom_fields], [200, { large }]);
});

Deno.test("what custom fields hold in depth is merged up to their 32 levels", async () => {
  const nested = (levels: number, end: unknown): unknown =>
    levels === 0 ? end : { a: nested(levels - 1, end) };
  const result = await merged(nested(31, { kept: 1 }), nested(31, { added: 2 }));
  assert.deepEqual(result, nested(31, { kept: 1, added: 2 }));
  const { id } = await newContact();
  const deep = await merge(`/contacts/${id}`, { custom_fields: nested(33, 1) });
  assertField(deep, "custom_fields", /32 levels/);
});

Deno.test("another content type is refused, with those that are taken", async () => {
  const { id } = await newContact();
  const message = "must be application/json or application/merge-patch+json";
  for (const type of ["text/plain", "application/json-patch+json", "application/merge-patch"]) {
    assertField(await merge(`/contacts/${id}`, { name: "A" }, type), "Content-Type", message);
  }
  const made = await call(company.keys.write, "POST", "/contacts", {
    body: JSON.stringify({ phone: anyPhone() }),
    headers: { "Content-Type": TYPE },
  });
  assertField(made, "Content-Type", "must be application/json");
});

Deno.test("a phone in a merge patch meets the contact that has it", async () => {
  const [one, two] = [await newContact(), await newContact()];
  const { status, body } = await merge(`/contacts/${two.id}`, { phone: one.phone });
  assert.deepEqual([status, body.existing_id], [409, one.id]);
});
