// Tests batches of contacts: POST and PATCH /contacts/batch.
import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { HUGE, spellings } from "../support/contacts.ts";
import { type Answer, call } from "../support/calls.ts";
import { statement } from "../support/test_stack.ts";

const company = await newCompany();
const other = await newCompany();

type Item = Record<string, unknown>;

function batch(
  method: "POST" | "PATCH",
  items: Item[],
  query = "",
  headers: Record<string, string> = {},
): Promise<Answer> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return call(company.keys.write, method, `/contacts/batch${query}`, {
    body: JSON.stringify({ items }),
    headers: { "Content-Type": type, ...headers },
  });
}
const post = (items: Item[], query?: string, headers?: Record<string, string>) =>
  batch("POST", items, query, headers);
const patch = (items: Item[], query?: string) => batch("PATCH", items, query);

const statusesOf = ({ body }: Answer) => body.data.map(({ status }: { status: number }) => status);

/** Creates contacts with these phone numbers, and returns them in the order of the numbers. */
async function added(
  ...phones: string[]
): Promise<{ id: string; version: string; phone: string }[]> {
  const answer = await post(phones.map((phone) => ({ phone })));
  return answer.body.data.map(({ data }: Answer["body"]) => data);
}

async function read(id: string) {
  return (await call(company.keys.read, "GET", `/contacts/${id}`)).body.data;
}

Deno.test("each item of a POST is checked separately, and `on_conflict` decides what happens to existing contacts", async () => {
  const [phone, spelling] = spellings();
  const [known] = await added(phone);
  const items = () => [
    { phone: anyPhone(), name: "New" },
    { phone: "123" },
    { phone: spelling, name: "Known", email: null },
    { phone: anyPhone(), custom_fields: HUGE },
    { phone: anyPhone(), colour: "red", id: known.id },
  ];
  const failing = await post(items());
  assert.equal(failing.status, 200);
  assert.deepEqual(statusesOf(failing), [201, 422, 409, 422, 422]);
  assert.deepEqual(failing.body.summary, {
    total: 5,
    created: 1,
    updated: 0,
    unchanged: 0,
    failed: 4,
  });
  const [created, malformed, taken, large, unknown] = failing.body.data;
  assert.deepEqual(created.data, await read(created.data.id));
  assert.deepEqual([malformed.index, malformed.error.details[0].field], [1, "items.1.phone"]);
  assert.deepEqual([taken.error.code, taken.error.existing_id], ["conflict", known.id]);
  assert.match(taken.error.error, /send the batch with on_conflict=update/);
  assert.deepEqual(large.error.details, [
    { field: "items.3.custom_fields", message: "must be at most 16 KiB of JSON" },
  ]);
  assert.deepEqual(
    unknown.error.details.map(({ field }: { field: string }) => field).sort(),
    ["items.4.colour", "items.4.id"],
  );
  assert.equal((await read(known.id)).version, known.version);

  const updating = await post(items(), "?on_conflict=update");
  assert.deepEqual(statusesOf(updating), [201, 422, 200, 422, 422]);
  assert.deepEqual(updating.body.summary, {
    total: 5,
    created: 1,
    updated: 1,
    unchanged: 0,
    failed: 3,
  });
  const { data } = updating.body.data[2];
  assert.deepEqual([data.id, data.name, data.phone], [known.id, "Known", phone]);
  assert.deepEqual(data, await read(known.id));

  const keeping = await post(
    [{ phone: spelling, name: "Other", email: "a@example.com" }],
    "?on_conflict=keep",
  );
  const [{ data: kept }] = keeping.body.data;
  assert.deepEqual([kept.name, kept.email], ["Known", "a@example.com"]);
});

Deno.test("if two items of a batch have the same phone number, the later item finds the earlier item's contact", async () => {
  const [phone, spelling] = spellings();
  const items = [
    { phone, custom_fields: HUGE },
    { phone: spelling, name: "First", tags: ["a"] },
    { phone, name: "Second" },
    { phone: spelling, empresa: "Engines" },
  ];
  const failing = await post(items);
  assert.deepEqual(statusesOf(failing), [422, 201, 409, 409]);
  const { id } = failing.body.data[1].data;
  assert.equal(failing.body.data[2].error.existing_id, id);
  await statement`delete from contacts where id = ${id}`;
  const updating = await post(items.slice(1), "?on_conflict=update");
  assert.deepEqual(statusesOf(updating), [201, 200, 200]);
  const last = updating.body.data[2].data;
  assert.deepEqual(
    [last.phone, last.name, last.tags, last.empresa],
    [spelling, "Second", ["a"], "Engines"],
  );
  assert.deepEqual(updating.body.data[0].data, last);
});

Deno.test("`atomic=true` writes all items or none, and the error names the field of the failing item", async () => {
  const [phone] = [anyPhone()];
  const [known] = await added(phone);
  const fresh = anyPhone();
  const failures: [Item, string, number, string][] = [
    [{ phone: "123" }, "", 422, "items.1.phone"],
    [{ phone }, "", 409, "items.1.phone"],
    [
      { phone: anyPhone(), custom_fields: HUGE },
      "&on_conflict=update",
      422,
      "items.1.custom_fields",
    ],
  ];
  for (const [item, query, status, field] of failures) {
    const { status: answered, body } = await post([{ phone: fresh }, item], `?atomic=true${query}`);
    assert.deepEqual([answered, body.details[0].field], [status, field]);
    assert.equal(body.existing_id, status === 409 ? known.id : undefined);
  }
  const twice = await post([{ phone: fresh, name: "One" }, { phone: fresh }], "?atomic=true");
  assert.deepEqual(
    [twice.status, twice.body.code, twice.body.existing_id, twice.body.details],
    [409, "conflict", undefined, [{ field: "items.1.phone", message: "is also in items.0" }]],
  );
  const [another] = await added(anyPhone());
  const external_id = crypto.randomUUID();
  const both = [{ id: known.id, external_id }, { id: another.id, external_id }];
  const same = await patch(both, "?atomic=true");
  assert.deepEqual(
    [same.status, same.body.code, same.body.existing_id, same.body.details],
    [409, "conflict", undefined, [{ field: "items.1.external_id", message: "is also in items.0" }]],
  );
  const tooEarly = [{ id: another.id, phone }, { id: known.id, phone: anyPhone() }];
  const early = await patch(tooEarly, "?atomic=true");
  assert.deepEqual(
    [early.status, early.body.code, early.body.existing_id, early.body.details],
    [409, "conflict", known.id, [
      { field: "items.0.phone", message: "belongs to that record" },
    ]],
  );
  assert.match(early.body.error, /^A contact with this phone, .* nothing was written/);
  const rename = [{ id: known.id, name: "Changed" }, { id: other.contact_id, name: "Changed" }];
  const refused = await patch(rename, "?atomic=true");
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.details[0].field],
    [404, "not_found", "items.1.id"],
  );
  assert.equal((await read(known.id)).version, known.version);
  const all = await post(
    [{ phone: fresh }, { phone, name: "Ada" }],
    "?atomic=true&on_conflict=update",
  );
  assert.deepEqual(statusesOf(all), [201, 200]);
});

Deno.test("a PATCH applies a merge patch for each item, in the order of the items", async () => {
  const [one, two, three] = await added(anyPhone(), anyPhone(), anyPhone());
  const fields = { plan: { name: "silver", seats: 3 }, trial: true };
  const answer = await patch([
    { id: one.id, custom_fields: fields, name: "Ada", tags: ["a", "a"] },
    { id: two.id },
    { id: other.contact_id, name: "Theirs" },
    { id: crypto.randomUUID(), name: "Nobody" },
    { id: one.id.toUpperCase(), custom_fields: { plan: { seats: 5 }, trial: null }, name: null },
    { id: two.id, phone: three.phone },
    { id: three.id, is_active: true },
    { id: two.id, custom_fields: HUGE },
    { id: two.id, phone: null },
    { name: "No id" },
  ]);
  assert.deepEqual(statusesOf(answer), [200, 422, 404, 404, 200, 409, 200, 422, 422, 422]);
  const { data } = answer.body.data[4];
  assert.deepEqual([data.name, data.tags, data.custom_fields], [null, ["a"], {
    plan: { name: "silver", seats: 5 },
  }]);
  assert.deepEqual(answer.body.data[0].data, data);
  assert.equal(answer.body.data[5].error.existing_id, three.id);
  assert.equal(answer.body.data[6].data.version, three.version);
  const theirs = await call(other.keys.read, "GET", `/contacts/${other.contact_id}`);
  assert.notEqual(theirs.body.data.name, "Theirs");

  const half = (name: string) => ({ custom_fields: { [name]: "x".repeat(9_000) } });
  const grown = await patch([{ id: two.id, ...half("a") }, { id: two.id, ...half("b") }]);
  assert.deepEqual(statusesOf(grown), [200, 422]);
});

Deno.test("if an item releases a phone number, later items of the batch can use the number, but earlier items cannot", async () => {
  const [one, two] = await added(anyPhone(), anyPhone());
  const [free, ...own] = [anyPhone(), one.phone, two.phone];
  const exchange = [
    { id: two.id, phone: own[0] },
    { id: one.id, phone: free },
    { id: two.id, phone: own[0] },
    { id: one.id, phone: own[1] },
  ];
  const answer = await patch(exchange);
  assert.deepEqual(statusesOf(answer), [409, 200, 200, 200]);
  assert.equal(answer.body.data[0].error.existing_id, one.id);
  const phones = await Promise.all([one, two].map(async ({ id }) => (await read(id)).phone));
  assert.deepEqual(phones, own.toReversed());
});

Deno.test("if an item of a POST releases a phone number or an external_id, later items can use it, but earlier items cannot", async () => {
  for (const match of ["external_id", "phone"]) {
    const people = (await post(
      [0, 1].map(() => ({ phone: anyPhone(), external_id: crypto.randomUUID() })),
    )).body.data.map(({ data }: Answer["body"]) => data);
    // The order of the contacts' ids makes no difference.
    for (const [one, two] of [people, people.toReversed()]) {
      const fresh = { phone: anyPhone(), external_id: crypto.randomUUID() };
      const other = match === "phone" ? "external_id" : "phone";
      const [{ [other]: freed }, values] = [
        await read(one.id),
        [anyPhone(), crypto.randomUUID(), anyPhone(), crypto.randomUUID()],
      ];
      const value = (at: number) => values[2 * at + (other === "phone" ? 0 : 1)];
      const items = [
        { [match]: two[match], [other]: freed },
        { [match]: one[match], [other]: value(0) },
        { [match]: two[match], [other]: freed },
        { [match]: two[match], [other]: value(1) },
        { ...fresh, [other]: freed },
      ];
      const query = `?match=${match}&on_conflict=update`;
      const all = await post(items.slice(1), `${query}&atomic=true`);
      assert.deepEqual(statusesOf(all), [200, 200, 200, 201], JSON.stringify(all.body));
      assert.equal(all.body.data[3].data[other], freed);
      assert.deepEqual(statusesOf(await post(items, query)), [409, 200, 409, 200, 200]);
    }
  }
});

Deno.test("simultaneous batches that exchange phone numbers all receive a response", async () => {
  const people = await added(...Array.from({ length: 6 }, anyPhone));
  const phones = people.map(({ phone }) => phone);
  const turned = (by: number) =>
    people.map(({ id }, index) => ({ id, phone: phones[(index + by) % 6] }));
  const answers = await Promise.all(
    [1, 5, 2, 4].map((by, n) => patch(n % 2 === 0 ? turned(by) : turned(by).toReversed())),
  );
  for (const answer of answers) {
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.ok(statusesOf(answer).every((status: number) => [200, 409].includes(status)));
  }
});

Deno.test("if a response would be too large, it omits `custom_fields` from all contacts", async () => {
  const note = "x".repeat(15_000);
  const items = Array.from({ length: 70 }, () => ({ phone: anyPhone(), custom_fields: { note } }));
  const [some, more] = [items.slice(0, 60), items.slice(60)];
  const light = await post(some);
  assert.ok(light.body.data.every(({ data }: Answer["body"]) => data.custom_fields.note === note));
  const phones = items.map(({ phone }) => ({ phone }));
  await post(more);
  const heavy = await post(phones, "?on_conflict=update");
  assert.deepEqual(heavy.body.summary, {
    total: 70,
    created: 0,
    updated: 0,
    unchanged: 70,
    failed: 0,
  });
  for (const { data } of heavy.body.data) assert.ok(!("custom_fields" in data) && data.phone);
});

Deno.test("a repeated batch returns the current contacts, and the same error for each failed item", async () => {
  const [one, two, taken] = [anyPhone(), anyPhone(), anyPhone()];
  await added(taken);
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const items = [{ phone: one }, { phone: taken }, { phone: "123" }, { phone: two }];
  const refused = await post(items, "?atomic=true", headers);
  assert.equal(refused.status, 422);
  const first = await post(items, "", headers);
  assert.deepEqual(statusesOf(first), [201, 409, 422, 201]);
  await patch([{ id: first.body.data[0].data.id, name: "Ada" }]);
  await statement`delete from contacts where id = ${first.body.data[3].data.id}`;
  const repeat = await post(items, "", headers);
  assert.equal(repeat.headers.get("Idempotent-Replayed"), "true");
  assert.deepEqual(statusesOf(repeat), [201, 409, 422, 404]);
  assert.equal(repeat.body.data[0].data.name, "Ada");
  assert.deepEqual(repeat.body.data[1], first.body.data[1]);
});

Deno.test("only the PATCH item that breaks a constraint fails, and later items see the results of earlier items", async () => {
  const known = await added(...Array.from({ length: 52 }, anyPhone));
  const fresh = known.map(() => anyPhone());
  const items: Item[] = known.map(({ id }, n) => ({ id, phone: fresh[n] }));
  // Two items request the first contact's phone number: one before that contact releases the
  // number, and one after. Another item requests the first contact's new phone number.
  const [first, second] = [known[0], known[1]];
  items[30].phone = first.phone;
  items[51].phone = second.phone;
  items[40].phone = fresh[0];
  items[10] = { id: known[10].id, custom_fields: HUGE };
  items.unshift({ id: known[2].id, phone: first.phone });
  const { body } = await patch(items);
  const wrong = { 0: 409, 11: 422, 41: 409 } as Record<number, number>;
  assert.deepEqual(statusesOf({ body } as Answer), items.map((_, n) => wrong[n] ?? 200));
  for (const place of [0, 41]) assert.equal(body.data[place].error.existing_id, first.id);
  for (const { status, data, index } of body.data) {
    if (status === 200) assert.equal(data.phone, items[index].phone);
  }
});

Deno.test("only the POST item that breaks a constraint fails, at any position in the batch", async () => {
  const [phone, spelling] = spellings();
  const known = await added(...Array.from({ length: 20 }, anyPhone));
  const items: Item[] = [
    { phone, name: "One" },
    ...known.map(({ phone }, n) => ({ phone, name: `Known ${n}` })),
    ...Array.from({ length: 30 }, (_, n) => ({ phone: anyPhone(), name: `New ${n}` })),
    { phone: spelling, name: "Two" },
  ];
  items[5].custom_fields = items[30].custom_fields = HUGE;
  const { body } = await post(items, "?on_conflict=update");
  const statuses = items.map((_, n) =>
    n === 5 || n === 30 ? 422 : n < 1 || (n > 20 && n < 51) ? 201 : 200
  );
  assert.deepEqual(statusesOf({ body } as Answer), statuses);
  for (const { status, data, index } of body.data) {
    if (status !== 422) assert.equal(data.name, index === 0 ? "Two" : items[index].name);
  }
});
