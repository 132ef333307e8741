import assert from "node:assert/strict";
import * as fc from "fast-check";
import { newCompany } from "../support/company.ts";
import { assertField, call, untilServed } from "../support/calls.ts";
import { statement } from "../support/test_stack.ts";

const company = await newCompany();
const other = await newCompany();
const { keys: { all: key }, contact_id, stage_ids } = company;
const good = (title: string) => ({ title, contact_id, stage_id: stage_ids[0] });
const unknown = crypto.randomUUID();

function batch(method: string, items: unknown[], query = "", headers?: Record<string, string>) {
  return call(key, method, `/deals/batch${query}`, { json: { items }, headers });
}

async function titles(): Promise<string[]> {
  const rows = await statement`
    select title from deals where company_id = ${company.id} order by title
  `;
  return rows.map(({ title }) => title);
}

async function newDeals(count: number): Promise<string[]> {
  const items = Array.from({ length: count }, (_, at) => good(`Deal ${at}`));
  const { body } = await batch("POST", items);
  return body.data.map(({ data }: { data: { id: string } }) => data.id);
}

/** Items that cannot be created, as JSON. */
const BAD_ITEMS = [
  "{}",
  '{"title":""}',
  JSON.stringify({ ...good("x"), title: 5, value: -1 }),
  JSON.stringify({ ...good("x"), id: unknown, status: "won", version: "1" }),
  JSON.stringify({ ...good("x"), colour: "red" }),
  JSON.stringify({ ...good("x"), contact_id: unknown }),
  JSON.stringify({ ...good("x"), contact_id: other.contact_id }),
  JSON.stringify({ ...good("x"), stage_id: unknown }),
  JSON.stringify({ ...good("x"), stage_id: other.stage_ids[0] }),
  JSON.stringify({ ...good("x"), contact_id: unknown, stage_id: unknown }),
  JSON.stringify({ ...good("x"), contact_id: "me" }),
  JSON.stringify({ ...good("x"), value: 0 }).replace(":0", ":1.00000000000000000001"),
  JSON.stringify(good("x")).replace("{", '{"title":"y",'),
  JSON.stringify(good("x")).replace("{", '{"v\\u0061lue":1,"value":2,'),
];

Deno.test("if an item cannot be created, its error is the same as for a single request, and the other items are created", async () => {
  const items = [...BAD_ITEMS.flatMap((bad, at) => [JSON.stringify(good(`Good ${at}`)), bad])];
  const { status, body } = await call(key, "POST", "/deals/batch", {
    body: `{"items": [ ${items.join(" ,\n")} ]}`,
    headers: { "Content-Type": "application/json" },
  });
  const count = BAD_ITEMS.length;
  assert.deepEqual([status, body.summary], [
    200,
    { total: 2 * count, created: count, updated: 0, unchanged: 0, failed: count },
  ]);
  for (const [at, answer] of body.data.entries()) {
    assert.equal(answer.index, at);
    if (at % 2 === 0) {
      assert.deepEqual([answer.status, answer.data.title], [201, `Good ${at / 2}`]);
      const { body: { data } } = await call(key, "GET", `/deals/${answer.data.id}`);
      assert.deepEqual(answer.data, data);
      assert.deepEqual(Object.keys(answer.data), Object.keys(data));
      continue;
    }
    const single = await call(key, "POST", "/deals", {
      body: items[at],
      headers: { "Content-Type": "application/json" },
    });
    const { request_id: _, ...error } = single.body;
    const ofItem = JSON.parse(JSON.stringify(answer.error).replaceAll(`items.${at}.`, ""));
    assert.deepEqual([answer.status, ofItem], [single.status, error], items[at]);
  }
});

Deno.test("if an item is not an object, or changes nothing, the error names the item", async () => {
  for (const item of [null, 5, "x", [], true]) {
    const { body: { data: [{ error }] } } = await batch("POST", [item]);
    assert.deepEqual(error.details, [{
      field: "items.0",
      message: item === null ? "must not be null" : "must be an object",
    }]);
  }
  const message = "must have at least one of title, value, stage_id, status, external_id";
  const { body: { data } } = await batch("PATCH", [{ id: company.deal_id }, { title: "x" }]);
  assert.deepEqual(data[0].error.details, [{ field: "items.0", message }]);
  assert.deepEqual(data[1].error.details, [{ field: "items.1.id", message: "is required" }]);
});

Deno.test("a batch must have 1 to 500 items and no other field, and `atomic` must be true or false", async () => {
  assertField(await batch("POST", []), "items", "must have at least one item");
  const many = Array.from({ length: 501 }, () => 0);
  assertField(await batch("POST", many), "items", "must have at most 500 items");
  for (const items of [undefined, null, {}, "x"]) {
    assertField(await call(key, "PATCH", "/deals/batch", { json: { items } }), "items");
  }
  assertField(await batch("POST", [good("x")], "?atomic=1"), "atomic", "must be true or false");
  const twice = '{"items":[{"a":1,"a":2}],"items":[]}';
  const headers = { "Content-Type": "application/json" };
  const answer = await call(key, "POST", "/deals/batch", { body: twice, headers });
  assertField(answer, "items", "is given more than once");
});

Deno.test("an item's error names at most 50 invalid fields, as the error of a single request does", async () => {
  const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`key${i}`, i]));
  const { body: { data: [{ error }] } } = await batch("POST", [many]);
  assert.equal(error.details.length, 50);
});

Deno.test("`atomic=true` writes all items or none, and the error names the failing item", async () => {
  const before = await titles();
  const wrong = await batch("POST", [good("a"), { ...good("b"), title: 1 }, 5], "?atomic=true");
  assertField(wrong, "items.1.title", "must be a string");
  assertField(wrong, "items.2", "must be an object");
  const foreign = { ...good("b"), contact_id: other.contact_id };
  const refused = await batch("POST", [good("a"), foreign, foreign], "?atomic=true");
  assertField(refused, "items.1.contact_id", "is not a contact of your company");
  assert.equal(refused.body.details.length, 1);
  assert.deepEqual(await titles(), before);

  const [id] = await newDeals(1);
  const changes = [{ id, title: "Changed" }, { id: other.deal_id, title: "Changed" }];
  const missing = await batch("PATCH", changes, "?atomic=true");
  assert.deepEqual([missing.status, missing.body.code, missing.body.details], [
    404,
    "not_found",
    [{ field: "items.1.id", message: "is not the id of a deal of your company" }],
  ]);
  assert.equal((await call(key, "GET", `/deals/${id}`)).body.data.title, "Deal 0");
  const both = await batch("POST", [good("a"), good("b")], "?atomic=true");
  assert.equal(both.body.summary.created, 2);
});

Deno.test("several changes to one deal are applied in the order of the items, and each item returns the final deal", async () => {
  const [id, second] = await newDeals(2);
  const { body } = await batch("PATCH", [
    { id: id.toUpperCase(), title: "First", value: 10 },
    { id: second, status: "won", stage_id: stage_ids[1] },
    { id, title: "Second", stage_id: other.stage_ids[0] },
    { id, value: null, status: "lost" },
    { id, title: "Last" },
    { id: unknown, title: "x" },
    { id: other.deal_id, title: "x" },
  ]);
  const statuses = body.data.map(({ status }: { status: number }) => status);
  assert.deepEqual(statuses, [200, 200, 422, 200, 200, 404, 404]);
  const { body: { data } } = await call(key, "GET", `/deals/${id}`);
  assert.deepEqual([data.title, data.value, data.status], ["Last", null, "lost"]);
  for (const at of [0, 3, 4]) assert.deepEqual(body.data[at].data, data);
  assert.deepEqual([body.data[1].data.status, body.data[1].data.stage_id], ["won", stage_ids[1]]);
  assert.equal(body.data[2].error.details[0].field, "items.2.stage_id");
  for (const at of [5, 6]) {
    const message = "is not the id of a deal of your company";
    const details = [{ field: `items.${at}.id`, message }];
    assert.deepEqual(body.data[at].error, { error: "Deal not found", code: "not_found", details });
  }
  const theirs = await call(other.keys.all, "GET", `/deals/${other.deal_id}`);
  assert.equal(theirs.body.data.title, "First");
});

Deno.test("every batch writes exactly the deals that it returns", async () => {
  const kind = fc.constantFrom("good", "invalid", "foreign", "odd");
  const property = fc.asyncProperty(
    fc.array(kind, { minLength: 1, maxLength: 12 }),
    fc.boolean(),
    async (kinds, atomic) => {
      const run = crypto.randomUUID();
      const itemOf: Record<string, unknown> = {
        good: good(run),
        invalid: { ...good(run), value: 0.001 },
        foreign: { ...good(run), stage_id: other.stage_ids[0] },
        odd: [run],
      };
      const items = kinds.map((kind) => itemOf[kind]);
      const { status, body } = await batch("POST", items, `?atomic=${atomic}`);
      const isGood = kinds.map((kind) => kind === "good");
      const expected = atomic && isGood.includes(false) ? 0 : isGood.filter(Boolean).length;
      const listed = await call(key, "GET", `/deals?title=${run}&sort=created_at`);
      assert.equal(listed.body.data.length, expected);
      if (atomic && isGood.includes(false)) return assert.equal(status, 422);
      const answered = body.data.flatMap(({ data }: { data?: unknown }) => data ? [data] : []);
      const byId = (one: { id: string }, two: { id: string }) => one.id < two.id ? -1 : 1;
      assert.deepEqual(answered.sort(byId), listed.body.data.sort(byId));
      assert.deepEqual(
        body.data.map(({ status }: { status: number }) => status),
        isGood.map((each) => each ? 201 : 422),
      );
    },
  );
  await fc.assert(property, { numRuns: 25 });
});

Deno.test("if a batch is repeated with its Idempotency-Key, the response has the same items with their current rows", async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const items = [good("Once"), { ...good("Twice"), stage_id: unknown }, good("Gone"), 5];
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => untilServed(() => batch("POST", items, "", headers))),
  );
  const done = answers.filter(({ status }) => status === 200);
  assert.equal(done.filter(({ headers }) => !headers.has("Idempotent-Replayed")).length, 1);
  assert.ok(answers.every(({ status }) => status === 200 || status === 409));
  for (const { body } of done) assert.deepEqual(body, done[0].body);

  const [{ data: once }, , { data: gone }] = done[0].body.data;
  await call(key, "PATCH", `/deals/${once.id}`, { json: { title: "Changed" } });
  await statement`delete from deals where id = ${gone.id}`;
  const { headers: answered, body } = await batch("POST", items, "", headers);
  assert.equal(answered.get("Idempotent-Replayed"), "true");
  assert.deepEqual([body.data[0].status, body.data[0].data.title], [201, "Changed"]);
  assert.deepEqual([body.data[2].status, body.data[2].error.code], [404, "not_found"]);
  assert.match(body.data[2].error.error, /it has been deleted since/);
  assert.deepEqual(body.data[3], done[0].body.data[3]);
  const reused = await batch("POST", [good("Another")], "", headers);
  assert.deepEqual([reused.status, reused.body.code], [422, "idempotency_key_reused"]);
});

Deno.test("if a batch wrote nothing, its Idempotency-Key can be used again", async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const bad = [good("a"), { ...good("b"), contact_id: unknown }];
  assert.equal((await batch("POST", bad, "?atomic=true", headers)).status, 422);
  const { status, headers: answered } = await batch("POST", [good("a")], "?atomic=true", headers);
  assert.deepEqual([status, answered.has("Idempotent-Replayed")], [200, false]);
});
