// Tests writes that keep values from other systems: `on_conflict=merge`, `add_tags` and
// `remove_tags`.
import assert from "node:assert/strict";
import { type Answer, assertField, call } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";

const { keys: { all: key }, contact_id, stage_ids, deal_id } = await newCompany();
const TYPE = "application/merge-patch+json";

function ask(method: string, path: string, json: unknown, type = "application/json") {
  return call(key, method, path, {
    body: JSON.stringify(json),
    headers: { "Content-Type": type },
  });
}

const put = (json: unknown, query = "?on_conflict=merge") => ask("PUT", `/contacts${query}`, json);

const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `tag ${from + at}`);

async function contact(fields: Record<string, unknown> = {}) {
  return (await put({ phone: anyPhone(), ...fields }, "")).body.data;
}

const statusesOf = ({ body }: Answer) => body.data.map(({ status }: { status: number }) => status);

Deno.test("`on_conflict=merge` merges custom fields by key, adds the new tags and writes the given fields", async () => {
  const known = await contact({
    name: "Ada",
    email: "ada@example.com",
    tags: ["a", "b"],
    custom_fields: { plan: { name: "silver", seats: 3 }, trial: true },
  });
  const given = {
    phone: known.phone,
    name: null,
    tags: ["c", "b"],
    custom_fields: { plan: { seats: 5 }, trial: null, region: "EU" },
  };
  const merged = await put(given);
  assert.equal(merged.status, 200);
  const { id, name, email, tags, custom_fields } = merged.body.data;
  assert.deepEqual([id, name, email], [known.id, null, "ada@example.com"]);
  assert.deepEqual(tags, ["a", "b", "c"]);
  assert.deepEqual(custom_fields, { plan: { name: "silver", seats: 5 }, region: "EU" });
  assert.deepEqual((await put(given)).body.data, merged.body.data);
  const fresh = await put({ ...given, phone: anyPhone() });
  assert.deepEqual(
    [fresh.status, fresh.body.data.custom_fields],
    [201, { plan: { seats: 5 }, region: "EU" }],
  );
  const batch = await ask("POST", "/contacts/batch?on_conflict=merge", {
    items: [given, { phone: known.phone, tags: ["d"] }, { phone: known.phone, tags: many(48) }],
  });
  assert.deepEqual(statusesOf(batch), [200, 200, 422]);
  assert.deepEqual(batch.body.data[1].data.tags, ["a", "b", "c", "d"]);
  assert.match(batch.body.data[2].error.details[0].message, /more than 50 different tags/);
  assertField(await put({ phone: known.phone, tags: many(50) }), "tags", /more than 50/);
});

Deno.test("four simultaneous updates that add and remove tags all take effect", async () => {
  const { id } = await contact({ tags: ["old 0", "old 1", "old 2", "old 3", "kept"] });
  const answers = await Promise.all([0, 1, 2, 3].map((n) => {
    const change = { add_tags: [`new ${n}`], remove_tags: [`old ${n}`] };
    return n < 2
      ? ask("PATCH", `/contacts/${id}`, change, TYPE)
      : ask("PATCH", "/contacts/batch", { items: [{ id, ...change }] });
  }));
  for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
  const { body } = await call(key, "GET", `/contacts/${id}`);
  assert.deepEqual(body.data.tags.toSorted(), ["kept", "new 0", "new 1", "new 2", "new 3"]);
});

Deno.test("`add_tags` and `remove_tags` change the stored tags, and the limit applies to the result", async () => {
  const { id, phone } = await contact({ tags: many(50) });
  const patch = (change: unknown) => ask("PATCH", `/contacts/${id}`, change, TYPE);
  assertField(await patch({ add_tags: ["one more"] }), "add_tags", /more than 50 different tags/);
  const full = await patch({ add_tags: ["one more", "tag 1"], remove_tags: ["tag 0", "unknown"] });
  assert.deepEqual([full.status, full.body.data.tags], [200, [...many(49, 1), "one more"]]);
  const both = await patch({ add_tags: ["tag 1"], remove_tags: ["tag 1"] });
  assert.deepEqual(both.body.data.tags.toSorted(), [...many(49, 1), "one more"].toSorted());
  const json = await ask("PATCH", `/contacts/${id}`, { phone, remove_tags: many(50) });
  assert.deepEqual(json.body.data.tags, ["one more"]);

  const items = [
    { id, tags: ["a", "b"] },
    { id, add_tags: many(49) },
    { id, remove_tags: ["a"], add_tags: ["c"] },
  ];
  const batch = await ask("PATCH", "/contacts/batch", { items });
  assert.deepEqual(statusesOf(batch), [200, 422, 200]);
  assert.deepEqual(
    batch.body.data[1].error.details.map(({ field }: { field: string }) => field),
    ["items.1.add_tags"],
  );
  assert.deepEqual(batch.body.data[2].data.tags, ["b", "c"]);
});

Deno.test("a change that combines `tags` with `add_tags` or `remove_tags` is refused", async () => {
  const { id, phone } = await contact();
  for (const field of ["add_tags", "remove_tags"]) {
    const change = { tags: ["a"], [field]: ["b"] };
    const message = /^cannot be combined with tags; send tags to replace all tags/;
    assertField(await ask("PATCH", `/contacts/${id}`, change, TYPE), field, message);
    assertField(await ask("PATCH", `/contacts/${id}`, { phone, ...change }), field, message);
    for (const type of [TYPE, "application/json"]) {
      const { body } = await ask("PATCH", "/contacts/batch", { items: [{ id, ...change }] }, type);
      assert.match(body.data[0].error.details[0].message, message);
    }
    assertField(await put({ phone, [field]: ["b"] }), field, /^is not a field/);
  }
});

Deno.test("the items of a PATCH batch are merge patches with either content type", async () => {
  for (const type of [TYPE, "application/json"]) {
    const { id } = await contact({ custom_fields: { a: 1, c: 3 } });
    const items = [{ id, custom_fields: { b: 2, c: null } }];
    const merged = await ask("PATCH", "/contacts/batch", { items }, type);
    assert.deepEqual(merged.body.data[0].data.custom_fields, { a: 1, b: 2 }, type);
  }
  const items = [{ id: contact_id, name: "Ada" }];
  const deals = { items: [{ id: deal_id, title: "Same" }] };
  for (const type of [TYPE, "application/json"]) {
    assert.deepEqual(statusesOf(await ask("PATCH", "/deals/batch", deals, type)), [200]);
  }
  assertField(await ask("POST", "/contacts/batch", { items }, TYPE), "Content-Type");
});

Deno.test("a batch summary counts unchanged records separately, and these records keep their version and `updated_at`", async () => {
  const one = await contact({ name: "Ada", tags: ["a"] });
  const two = await contact();
  const items = [{ id: one.id, name: "Ada", add_tags: ["a"] }, { id: two.id, name: "Bia" }];
  const patched = await ask("PATCH", "/contacts/batch", { items });
  const summary = { total: 2, created: 0, updated: 1, unchanged: 1, failed: 0 };
  assert.deepEqual([statusesOf(patched), patched.body.summary], [[200, 200], summary]);
  assert.deepEqual(patched.body.data[0].data, one);
  const puts = [{ phone: one.phone, name: "Ada" }, { phone: two.phone, name: "Eva" }];
  for (const rule of ["update", "merge"]) {
    const written = await ask("POST", `/contacts/batch?on_conflict=${rule}`, { items: puts });
    assert.deepEqual(
      written.body.summary,
      rule === "update" ? summary : { ...summary, updated: 0, unchanged: 2 },
    );
  }
  const deal = { title: "Deal", contact_id, stage_id: stage_ids[0], value: 12.5 };
  const { body } = await ask("POST", "/deals/batch", { items: [deal, deal] });
  const [first, second] = body.data.map(({ data }: Answer["body"]) => data);
  const changes = [{ id: first.id, value: 12.50, status: "open" }, { id: second.id, value: null }];
  const moved = await ask("PATCH", "/deals/batch", { items: changes });
  assert.deepEqual(moved.body.summary, summary);
  assert.deepEqual(moved.body.data[0].data, first);
  const { body: history } = await call(key, "GET", `/deals/${first.id}/history`);
  assert.equal(history.data.length, 1);
});
