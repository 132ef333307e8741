// What the functions that write contacts do when they are called by a faulty or hostile caller with a key's token.
import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { keyToken, rest } from "../support/rest.ts";
import { withDatabase } from "../support/test_stack.ts";

const own = await newCompany();
const other = await newCompany();
const token = await keyToken(own.keys.all, "write");

const write = (json: Record<string, unknown>, name = "write_contacts") =>
  rest(token, "POST", `/rpc/${name}`, { json });

/** What a contact keeps to itself, and what only the platform writes. */
const HIDDEN = {
  id: other.contact_id,
  company_id: other.id,
  phone_key: "+15550100",
  version: 1,
  created_at: "2001-01-01T00:00:00Z",
  do_not_contact_source: "word",
  stop_word_at: "2001-01-01T00:00:00Z",
  has_identity: true,
  profile_name_at: "2001-01-01T00:00:00Z",
};

async function stored(id: string) {
  return (await withDatabase((sql) => sql`select * from contacts where id = ${id}`))[0];
}

Deno.test("an item writes no other company and no column beyond those of the API", async () => {
  const item = { ...HIDDEN, phone: anyPhone() };
  const theirs = await stored(other.contact_id);
  for (const on_conflict of ["fail", "update", "keep"]) {
    const { status, body } = await write({ items: [item], on_conflict });
    assert.equal(status, 200);
    const { existing_id, id = existing_id } = body.results[0];
    const row = await stored(id);
    assert.equal(row.company_id, own.id);
    assert.notEqual(row.phone_key, HIDDEN.phone_key);
    assert.deepEqual(
      [row.has_identity, row.stop_word_at, row.do_not_contact_source, row.profile_name_at],
      [false, null, null, null],
    );
    assert.ok(row.created_at.getFullYear() > 2025 && row.version > 1);
  }
  const { id: _, ...hidden } = HIDDEN;
  const patched = await write({ items: [{ ...hidden, id: own.contact_id }] }, "patch_contacts");
  assert.deepEqual(patched.body.results[0].status, 200);
  assert.equal((await stored(own.contact_id)).has_identity, false);
  const foreign = await write({ items: [{ id: other.contact_id, name: "x" }] }, "patch_contacts");
  assert.deepEqual(foreign.body.results, [{ status: 404 }]);
  assert.deepEqual(await stored(other.contact_id), theirs);
});

Deno.test("an item that breaks a check of the table fails by itself, with its name", async () => {
  const good = { phone: anyPhone() };
  const items = [
    { name: "Nobody" },
    { phone: "5511" },
    { phone: anyPhone(), temperature: "boiling" },
    good,
    { phone: anyPhone(), tags: Array(51).fill("x") },
    { phone: anyPhone(), custom_fields: [] },
  ];
  const { body } = await write({ items });
  const outcomes = body.results.map((each: { status: number; constraint?: string }) =>
    each.constraint ?? each.status
  );
  assert.deepEqual(outcomes, [
    "contacts_reachable",
    "contacts_phone_check",
    "contacts_temperature_check",
    201,
    "contacts_tags_check",
    "contacts_custom_fields_check",
  ]);
  const undone = await write({ items: [{ phone: anyPhone() }, items[1]], atomic: true });
  assert.deepEqual([undone.status, undone.body.undone], [200, true]);
  assert.equal(await stored(undone.body.results[0].id), undefined);
});

Deno.test("without items nothing is written, and a wrong rule is an error", async () => {
  assert.deepEqual((await write({ items: [] })).body.results, []);
  assert.deepEqual((await write({ items: [] }, "patch_contacts")).body.results, []);
  const wrong = await write({ items: [{ phone: anyPhone() }], on_conflict: "replace" });
  assert.ok(wrong.status >= 400);
});

Deno.test("batches at once with the same persons are all answered, and each person is created once", async () => {
  const spellings = () => {
    const digits = anyPhone().slice(-7);
    return [`+55116${digits}`, `+551196${digits}`];
  };
  const known = Array.from({ length: 40 }, anyPhone);
  await write({ items: known.map((phone) => ({ phone })) });
  const fresh = Array.from({ length: 40 }, spellings);
  const shuffled = (phones: string[]) =>
    phones.map((phone) => [Math.random(), phone] as const).sort(([a], [b]) => a - b)
      .map(([, phone]) => phone);
  const batches = Array.from(
    { length: 32 },
    (_, n) =>
      shuffled([...known, ...fresh.map((spelled) => spelled[n % 2])])
        .map((phone) => ({ phone, name: `${n}` })),
  );
  const created: string[] = [];
  const worker = async () => {
    for (let items = batches.pop(); items; items = batches.pop()) {
      const { status, body } = await write({ items, on_conflict: "update" });
      assert.equal(status, 200, JSON.stringify(body));
      for (const { status, id, data } of body.results) {
        assert.equal(data.name, items[0].name);
        if (status === 201) created.push(id);
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  assert.equal(created.length, fresh.length);
  assert.equal(new Set(created).size, fresh.length);
});
