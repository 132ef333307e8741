// Tests PATCH with application/merge-patch+json (RFC 7396).
import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { type Answer, assertField, call, untilServed } from "../support/calls.ts";
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

/** Creates a contact, applies a patch, and returns the contact's custom fields. */
async function merged(custom_fields: unknown, patch: unknown): Promise<unknown> {
  const { id } = await newContact({ custom_fields });
  const { status, body } = await merge(`/contacts/${id}`, { custom_fields: patch });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.custom_fields;
}

Deno.test("a merge patch for a contact changes the fields that it names, and may omit `phone`", async () => {
  const contact = await newContact({ name: "Ana", email: "ana@example.com", tags: ["vip"] });
  const { status, body } = await merge(`/contacts/${contact.id}`, { name: "Bia", email: null });
  assert.equal(status, 200);
  const { updated_at: _, version: _v, ...rest } = body.data;
  const { updated_at: _u, version: _w, ...before } = contact;
  assert.deepEqual(rest, { ...before, name: "Bia", email: null });
});

Deno.test("deals and conversations accept a merge patch too", async () => {
  const deal = await merge(`/deals/${company.deal_id}`, { value: null, title: "Merged" });
  assert.deepEqual(
    [deal.status, deal.body.data.value, deal.body.data.title],
    [200, null, "Merged"],
  );
  const path = `/conversations/${company.conversation_id}`;
  const { status, body } = await merge(path, { team_id: company.team_id, assigned_to: null });
  assert.deepEqual(
    [status, body.data.team_id, body.data.assigned_to],
    [200, company.team_id, null],
  );
});

Deno.test("an update with application/json requires `phone` and replaces the custom fields", async () => {
  const { id, phone } = await newContact({ custom_fields: { a: 1, b: 2 } });
  const json = "application/json; charset=utf-8";
  assertField(await merge(`/contacts/${id}`, { custom_fields: { c: 3 } }, json), "phone");
  const { body } = await merge(`/contacts/${id}`, { phone, custom_fields: { c: null } }, json);
  assert.deepEqual(body.data.custom_fields, { c: null });
});

Deno.test("the examples in RFC 7396 give the stated results for custom fields", async () => {
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

Deno.test("simultaneous patches of different custom fields all take effect", async () => {
  const { id } = await newContact({ custom_fields: { kept: true, nested: { kept: true } } });
  const answers = await Promise.all(
    Array.from(
      { length: 50 },
      (_, at) =>
        untilServed(() =>
          merge(`/contacts/${id}`, {
            custom_fields: { [`key${at}`]: at, nested: { [`in${at}`]: at } },
          })
        ),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  const { body } = await call(company.keys.read, "GET", `/contacts/${id}`);
  const { nested, ...fields } = body.data.custom_fields;
  assert.equal(Object.keys(fields).length, 51);
  assert.equal(Object.keys(nested).length, 51);
});

Deno.test("an empty patch is refused, and so is null for a field that is not nullable", async () => {
  const { id } = await newContact();
  for (const field of ["phone", "temperature", "tags", "source", "custom_fields", "is_active"]) {
    assertField(await merge(`/contacts/${id}`, { [field]: null }), field, /^must (be|not be null)/);
  }
  assertField(
    await merge(`/deals/${company.deal_id}`, { title: null }),
    "title",
    /^must (be|not be null)/,
  );
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
  assertField(await merge(`/contacts/${id}`, { patch: {} }), "patch");
});

Deno.test("the size limit for custom fields applies to the merged result", async () => {
  const LIMIT = 16 * 1024;
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
  const filled = { a: [1, 2, { b: "c, d: e" }], text: "" };
  filled.text = "é".repeat((LIMIT / 2 - bytes(filled)) / 2);
  const { id } = await newContact({ custom_fields: filled });
  const rest = LIMIT - bytes(filled) - bytes({ more: "" }) + 1; // in the result, `,` replaces `}{`
  const tooMuch = await merge(`/contacts/${id}`, { custom_fields: { more: "x".repeat(rest + 1) } });
  assertField(tooMuch, "custom_fields", "must be at most 16 KiB of JSON");
  const full = await merge(`/contacts/${id}`, { custom_fields: { more: "x".repeat(rest) } });
  assert.equal(full.status, 200);
  assert.equal(bytes(full.body.data.custom_fields), LIMIT);
  // Custom fields that are already too large may become smaller, but not larger.
  const large = "x".repeat(20_000);
  await withDatabase((sql) =>
    sql`update contacts set custom_fields = ${sql.json({ large, a: 1 })} where id = ${id}`
  );
  assertField(await merge(`/contacts/${id}`, { custom_fields: { b: 1 } }), "custom_fields");
  const smaller = await merge(`/contacts/${id}`, { custom_fields: { a: null } });
  assert.deepEqual([smaller.status, smaller.body.data.custom_fields], [200, { large }]);
});

Deno.test("custom fields are merged at every depth, up to 32 levels", async () => {
  const nested = (levels: number, end: unknown): unknown =>
    levels === 0 ? end : { a: nested(levels - 1, end) };
  const result = await merged(nested(31, { kept: 1 }), nested(31, { added: 2 }));
  assert.deepEqual(result, nested(31, { kept: 1, added: 2 }));
  const { id } = await newContact();
  const deep = await merge(`/contacts/${id}`, { custom_fields: nested(33, 1) });
  assertField(deep, "custom_fields", /32 levels/);
});

Deno.test("another content type is refused, and the error lists the accepted types", async () => {
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
