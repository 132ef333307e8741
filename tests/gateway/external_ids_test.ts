// Tests `external_id`, a caller's own id for a contact or a deal.
import assert from "node:assert/strict";
import { type Answer, assertField, call, untilServed } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { statement } from "../support/test_stack.ts";

const company = await newCompany();
const other = await newCompany();
const { keys: { all: key }, contact_id, stage_ids } = company;

function ask(method: string, path: string, json?: unknown, headers?: Record<string, string>) {
  return call(key, method, path, { json, headers });
}

const own = () => `C-${crypto.randomUUID()}`;

const contact = async (fields: Record<string, unknown> = {}) =>
  (await ask("POST", "/contacts", { phone: anyPhone(), ...fields })).body.data;

const deal = (fields: Record<string, unknown> = {}) => (
  { title: "Deal", contact_id, stage_id: stage_ids[0], ...fields }
);

const statusesOf = ({ body }: Answer) => body.data.map(({ status }: { status: number }) => status);

function assertConflict({ status, body }: Answer, id: string, field = "external_id") {
  assert.deepEqual([status, body.code, body.existing_id], [409, "conflict", id], body.error);
  assert.match(body.error, new RegExp(field));
}

Deno.test("creating a second contact or deal with the same external_id returns a 409 that names the first record", async () => {
  const external_id = own();
  for (const path of ["/contacts", "/deals"]) {
    const fresh = (fields = {}) =>
      path === "/deals" ? deal(fields) : { phone: anyPhone(), ...fields };
    const first = (await ask("POST", path, fresh({ external_id: ` ${external_id} ` }))).body.data;
    assert.equal(first.external_id, external_id);
    assertConflict(await ask("POST", path, fresh({ external_id })), first.id);
    const second = (await ask("POST", path, fresh())).body.data;
    assert.equal(second.external_id, null);
    const change = path === "/deals" ? { external_id } : { phone: second.phone, external_id };
    assertConflict(await ask("PATCH", `${path}/${second.id}`, change), first.id);
    const items = [{ id: second.id, external_id }, { id: first.id, external_id: null }, {
      id: second.id,
      external_id,
    }];
    const batch = await ask("PATCH", `${path}/batch`, { items });
    assert.deepEqual(statusesOf(batch), [409, 200, 200]);
    assert.equal(batch.body.data[0].error.existing_id, first.id);
    assert.equal(batch.body.data[2].data.external_id, external_id);
    for (const wrong of ["", " ", "x".repeat(256), 5]) {
      assertField(await ask("POST", path, fresh({ external_id: wrong })), "external_id", /^must/);
    }
  }
  const theirs = await call(other.keys.all, "POST", "/contacts", {
    json: { phone: anyPhone(), external_id },
  });
  assert.equal(theirs.status, 201);
});

Deno.test("a filter by external_id finds records, including archived records, and an export contains the external_id", async () => {
  const [one, two] = [await contact({ external_id: own() }), await contact({ external_id: own() })];
  const list = async (query: string) => {
    const { body } = await ask("GET", `/contacts?${query}`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await list(`external_id=${one.external_id},${two.external_id}`), [
    two.id,
    one.id,
  ]);
  assert.deepEqual(await list(`external_id=${one.external_id}&external_id[empty]=true`), []);
  await ask("DELETE", `/contacts/${one.id}`);
  assert.deepEqual(await list(`external_id=${one.external_id}`), []);
  assert.deepEqual(await list(`external_id=${one.external_id}&archived=include`), [one.id]);
  const exported = await ask("GET", `/contacts/${two.id}/export`);
  assert.equal(exported.body.data.contact.external_id, two.external_id);
});

Deno.test("archiving a record frees its external_id, and the record can be restored only while the external_id is free", async () => {
  const external_id = own();
  const gone = await contact({ external_id });
  await ask("DELETE", `/contacts/${gone.id}`);
  const next = await contact({ external_id });
  const message = /external_id; archive that contact first/;
  const refused = await ask("POST", `/contacts/${gone.id}/restore`);
  assertConflict(refused, next.id);
  assert.match(refused.body.error, message);
  await ask("DELETE", `/contacts/${next.id}`);
  const restored = await ask("POST", `/contacts/${gone.id}/restore`);
  assert.deepEqual([restored.status, restored.body.data.external_id], [200, external_id]);

  const first = (await ask("POST", "/deals", deal({ external_id }))).body.data;
  await ask("DELETE", `/deals/${first.id}`);
  const second = (await ask("POST", "/deals", deal({ external_id }))).body.data;
  assertConflict(await ask("POST", `/deals/${first.id}/restore`), second.id);
  await ask("PATCH", `/deals/${second.id}`, { external_id: null });
  assert.equal((await ask("POST", `/deals/${first.id}/restore`)).status, 200);
});

Deno.test("a write with `match=external_id` finds the contact by its external_id and updates its phone number", async () => {
  const [external_id, phone, moved] = [own(), anyPhone(), anyPhone()];
  const put = (json: unknown, query = "", headers?: Record<string, string>) =>
    ask("PUT", `/contacts?match=external_id${query}`, json, headers);
  const created = await put({ external_id, phone, name: "Ada" });
  assert.equal(created.status, 201);
  const { id } = created.body.data;
  const again = await put({ external_id, phone, name: "Ada" });
  assert.deepEqual([again.status, again.body.data], [200, created.body.data]);
  const changed = await put({ external_id, phone: moved, name: null });
  assert.deepEqual([changed.body.data.id, changed.body.data.phone, changed.body.data.name], [
    id,
    moved,
    null,
  ]);
  const kept = await put({ external_id, phone, name: "Eva" }, "&on_conflict=keep");
  assert.deepEqual([kept.body.data.phone, kept.body.data.name], [moved, "Eva"]);
  assertField(await put({ phone }), "external_id", /^is required with match=external_id/);
  for (const sent of [{ phone, id }, { phone, id, external_id: null }]) {
    assertField(await put(sent), "external_id", /^is required with match=external_id/);
  }
  assertField(await ask("PUT", "/contacts?match=email", { phone }), "match", /^must be phone or/);

  const holder = await contact();
  assertConflict(await put({ external_id, phone: holder.phone }), holder.id, "phone");
  assertConflict(await put({ external_id: own(), phone: holder.phone }), holder.id, "phone");
  assertConflict(await ask("PUT", "/contacts", { phone: holder.phone, external_id }), id);
  assertConflict(await ask("PUT", "/contacts", { phone: anyPhone(), external_id }), id);
  const named = await ask("PUT", "/contacts", { phone: holder.phone, external_id: own() });
  assert.deepEqual([named.status, named.body.data.id], [200, holder.id]);

  const stale = await put({ external_id, phone: moved }, "", { "If-Match": '"1"' });
  assert.equal(stale.status, 412);
  const missing = await put({ external_id: own(), phone: anyPhone() }, "", { "If-Match": "*" });
  assert.deepEqual([missing.status, missing.headers.get("ETag")], [412, null]);
});

Deno.test("with `match=external_id` and `on_conflict=keep`, a contact without a phone number gets the phone number, unless another contact has it", async () => {
  const [external_id, phone] = [own(), anyPhone()];
  const path = "/contacts/batch?match=external_id&on_conflict=keep";
  const write = async (...phones: string[]) => {
    const items = phones.map((phone) => ({ external_id, phone }));
    return (await ask("POST", path, { items })).body.data;
  };
  const { id } = await contact({ external_id });
  await statement`update contacts set phone = null, has_identity = true where id = ${id}`;
  const holder = await contact();
  const [{ status, error }] = await write(holder.phone);
  assertConflict({ status, body: error } as Answer, holder.id, "phone");
  for (const { status, data } of await write(phone, anyPhone())) {
    assert.deepEqual([status, data.phone], [200, phone]);
  }
  assert.equal((await write(anyPhone()))[0].data.phone, phone);
});

Deno.test("exactly one of twenty simultaneous PUTs with an external_id creates the contact", async () => {
  const external_id = own();
  const phones = [anyPhone(), anyPhone()];
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      (_, n) =>
        untilServed(() =>
          ask("PUT", "/contacts?match=external_id", { external_id, phone: phones[n % 2] })
        ),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ body }) => body.data.id)).size, 1);
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
});

Deno.test("a batch with `match=external_id` writes each contact once, even if the batch is repeated", async () => {
  const taken = await contact();
  const people = Array.from({ length: 30 }, () => ({ external_id: own(), phone: anyPhone() }));
  const items = [...people, { phone: anyPhone() }, { external_id: own(), phone: taken.phone }, {
    ...people[0],
    name: "Ada",
  }];
  const batch = (query: string) =>
    ask("POST", `/contacts/batch?match=external_id&on_conflict=${query}`, { items });
  const first = await batch("update");
  assert.deepEqual(statusesOf(first), [...people.map(() => 201), 422, 409, 200]);
  assert.equal(first.body.data[31].error.existing_id, taken.id);
  assert.equal(first.body.data[32].data.name, "Ada");
  assert.deepEqual(statusesOf(await batch("update")), [...people.map(() => 200), 422, 409, 200]);
  const failing = await batch("fail");
  assert.deepEqual(statusesOf(failing), [...people.map(() => 409), 422, 409, 409]);
  assert.match(failing.body.data[0].error.error, /external_id/);
});

Deno.test("the 409 of a batch item suggests on_conflict=update only where on_conflict=update would help", async () => {
  const known = await contact({ external_id: own() });
  const { phone, external_id } = known;
  const suggestion = /send the batch with on_conflict=update, merge or keep$/;
  const alone = /; update that contact instead$/;
  for (
    const [query, item, field, message] of [
      ["", { phone }, "phone", suggestion],
      ["", { phone: anyPhone(), external_id }, "external_id", alone],
      ["on_conflict=update", { phone: anyPhone(), external_id }, "external_id", alone],
      ["match=external_id", { phone: anyPhone(), external_id }, "external_id", suggestion],
      ["match=external_id", { phone, external_id: own() }, "phone", alone],
      ["match=external_id&on_conflict=merge", { phone, external_id: own() }, "phone", alone],
    ] as const
  ) {
    const { body } = await ask("POST", `/contacts/batch?${query}`, { items: [item] });
    const [{ status, error }] = body.data;
    assertConflict({ status, body: error } as Answer, known.id, field);
    assert.match(error.error, message, query);
    const whole = await ask("POST", `/contacts/batch?atomic=true&${query}`, { items: [item] });
    assert.ok(whole.body.error.startsWith(`${error.error}; nothing was written`));
  }
});

Deno.test("of two items for one new person, the later item wins, even if another item of the batch is refused", async () => {
  const external_id = own();
  const taken = await contact();
  const [low, high] = [anyPhone(), anyPhone()].toSorted();
  const items = [
    { external_id, phone: high, name: "old" },
    { external_id, phone: low, name: "new" },
    { external_id: own(), phone: taken.phone },
  ];
  const path = "/contacts/batch?match=external_id&on_conflict=update";
  const answer = await ask("POST", path, { items });
  assert.deepEqual(statusesOf(answer), [201, 200, 409]);
  const { name, phone } = answer.body.data[1].data;
  assert.deepEqual([name, phone], ["new", low]);
});

Deno.test("a batch creates each deal whose external_id is new, and `on_conflict` decides what happens to existing deals", async () => {
  const [one, two] = [own(), own()];
  const [{ id }] = (await ask("POST", "/deals/batch", { items: [deal({ external_id: one })] }))
    .body.data.map(({ data }: Answer["body"]) => data);
  const items = [
    deal({ external_id: one, title: "New title", value: 5, stage_id: stage_ids[1] }),
    deal({ external_id: two }),
    deal({ external_id: two, value: 7 }),
    deal(),
    deal({ external_id: one, contact_id: (await contact()).id }),
    deal({ external_id: own(), contact_id: other.contact_id }),
  ];
  const failing = await ask("POST", "/deals/batch", { items: items.slice(0, 1) });
  assert.deepEqual(statusesOf(failing), [409]);
  assert.equal(failing.body.data[0].error.existing_id, id);
  const keeping = await ask("POST", "/deals/batch?on_conflict=keep", { items });
  assert.deepEqual(statusesOf(keeping), [200, 201, 200, 201, 422, 422]);
  const [kept, , filled, , moved] = keeping.body.data;
  assert.deepEqual([kept.data.title, kept.data.value, kept.data.id], ["Deal", 5, id]);
  assert.equal(filled.data.value, 7);
  assert.equal(moved.error.details[0].field, "items.4.contact_id");
  const updating = await ask("POST", "/deals/batch?on_conflict=update", { items });
  assert.deepEqual(statusesOf(updating), [200, 200, 200, 201, 422, 422]);
  assert.deepEqual(
    [updating.body.data[0].data.title, updating.body.data[0].data.stage_id],
    ["New title", stage_ids[1]],
  );
  const undone = await ask("POST", "/deals/batch?atomic=true", { items: items.slice(1, 2) });
  assertConflict(undone, updating.body.data[1].data.id);
});

Deno.test("with `on_conflict=keep`, a refused item does not stop a later item from filling the deal's value", async () => {
  const external_id = own();
  await ask("POST", "/deals", deal({ external_id }));
  const elsewhere = (await contact()).id;
  const batch = await ask("POST", "/deals/batch?on_conflict=keep", {
    items: [
      deal({ external_id, contact_id: elsewhere, value: 5 }),
      deal({ external_id, value: 7 }),
      deal({ external_id, value: 9 }),
    ],
  });
  assert.deepEqual(statusesOf(batch), [422, 200, 200]);
  assert.deepEqual([1, 2].map((at) => batch.body.data[at].data.value), [7, 7]);
});

Deno.test("simultaneous batches of the same deals create each deal once", async () => {
  const items = Array.from({ length: 20 }, () => deal({ external_id: own() }));
  const answers = await Promise.all(
    [0, 1, 2, 3].map((n) =>
      untilServed(() =>
        ask("POST", "/deals/batch?on_conflict=update", {
          items: n % 2 === 0 ? items : items.toReversed(),
        })
      )
    ),
  );
  for (const answer of answers) assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const created = answers.flatMap(statusesOf).filter((status) => status === 201);
  assert.equal(created.length, items.length);
});

Deno.test("in a merge, a survivor without an external_id gets the external_id of the merged contact, and an erasure clears the external_id", async () => {
  const [a, b] = [own(), own()];
  const [bare, named, third] = [
    await contact(),
    await contact({ external_id: a }),
    await contact({ external_id: b }),
  ];
  const merge = (id: string, from: string) => ask("POST", `/contacts/${id}/merge`, { from });
  assert.equal((await merge(bare.id, named.id)).body.data.external_id, a);
  assert.equal((await merge(bare.id, third.id)).body.data.external_id, a);
  const sold = await ask("POST", "/deals", deal({ contact_id: bare.id, external_id: own() }));
  const erased = await ask("POST", `/contacts/${bare.id}/erase`, { confirm: bare.id });
  assert.equal(erased.body.data.external_id, null);
  const { body } = await ask("GET", `/deals/${sold.body.data.id}`);
  assert.equal(body.data.external_id, null);
});
