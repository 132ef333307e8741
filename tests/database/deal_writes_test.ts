// Tests the functions that write deals, with calls that the gateway makes and with calls that the
// gateway never makes.
import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { keyToken, rest } from "../support/rest.ts";
import { statement } from "../support/test_stack.ts";

const company = await newCompany();
const other = await newCompany();
const { contact_id, stage_ids, deal_id } = company;
const token = await keyToken(company.keys.all, "write");
const good = { title: "Deal", contact_id, stage_id: stage_ids[0] };

function write(items: unknown, more: Record<string, unknown> = {}, as = token) {
  return rest(as, "POST", "/rpc/write_deals", { json: { items, ...more } });
}

function patch(items: unknown, as = token) {
  return rest(as, "POST", "/rpc/patch_deals", { json: { items } });
}

const deals = () =>
  statement`select * from deals where company_id in (${company.id}, ${other.id}) order by id`;

Deno.test("deals are written to the API key's company, even if an item names another company", async () => {
  const { body } = await write([{ ...good, company_id: other.id, id: deal_id, status: "won" }]);
  const [{ status, data }] = body.results;
  assert.deepEqual([status, data.company_id, data.status], [201, company.id, "open"]);
  assert.notEqual(data.id, deal_id);
  const { body: { results: [changed] } } = await patch([{ id: deal_id, company_id: other.id }]);
  assert.equal(changed.data.company_id, company.id);
});

Deno.test("a request for another company's rows gets the same response as a request for rows that do not exist", async () => {
  const before = await deals();
  const missing = crypto.randomUUID();
  for (const id of [other.contact_id, missing]) {
    const { body } = await write([{ ...good, contact_id: id }]);
    assert.deepEqual(body.results, [{ status: 422, constraint: "deals_contact_fkey" }]);
  }
  for (const id of [other.stage_ids[0], missing]) {
    const written = await write([{ ...good, stage_id: id }]);
    const changed = await patch([{ id: deal_id, stage_id: id }]);
    const refused = [{ status: 422, constraint: "deals_stage_fkey" }];
    assert.deepEqual([written.body.results, changed.body.results], [refused, refused]);
  }
  for (const id of [other.deal_id, missing]) {
    const { body } = await patch([{ id, title: "Changed", stage_id: other.stage_ids[0] }]);
    assert.deepEqual(body.results, [{ status: 404 }]);
  }
  assert.deepEqual(await deals(), before);
});

Deno.test("a key without the scope write cannot write and cannot find out which idempotency keys exist", async () => {
  const idempotency = { path: "/deals", key: crypto.randomUUID(), fingerprint: "a" };
  assert.equal((await write([good], { idempotency })).status, 200);
  const before = await deals();
  for (const [key, scope] of [["all", "read"], ["read", "write"], ["all", undefined]] as const) {
    const reader = await keyToken(company.keys[key], scope);
    for (const answer of [await write([good], { idempotency }, reader), await patch([], reader)]) {
      assert.deepEqual([answer.status, answer.body.code], [403, "PT403"]);
    }
  }
  for (const as of [await keyToken("sk_live_wrong", "write"), null]) {
    const refused = await rest(as, "POST", "/rpc/write_deals", { json: { items: [good] } });
    assert.ok([401, 403].includes(refused.status));
  }
  // Another company can use the same idempotency key.
  const theirs = await keyToken(other.keys.all, "write");
  const { body } = await write([], { idempotency: { ...idempotency, fingerprint: "b" } }, theirs);
  assert.deepEqual([body.replayed, body.results], [false, []]);
  assert.deepEqual(await deals(), before);
});

Deno.test("a batch with a malformed item writes nothing", async () => {
  const before = await deals();
  const garbage = [
    ...[null, 5, "x", [], {}, [[]], { title: "Deal" }, { ...good, title: null }],
    ...[{ ...good, title: "" }, { ...good, title: "x".repeat(256) }, { ...good, value: -1 }],
    ...[{ ...good, value: "NaN" }, { ...good, value: "x" }, { ...good, contact_id: "x" }],
    ...[{ ...good, contact_id: { id: contact_id } }],
  ];
  for (const item of garbage) {
    const { status, body } = await write([good, item]);
    assert.equal(status, 400, JSON.stringify([item, body]));
    assert.match(body.code, /^2/);
  }
  for (const change of [{ title: null }, { status: "x" }, { value: -1 }, { stage_id: "x" }]) {
    assert.equal((await patch([{ id: deal_id, ...change }])).status, 400);
  }
  for (const item of [null, 5, "x", {}, { id: null }]) {
    assert.deepEqual((await patch([item])).body.results, [{ status: 404 }]);
  }
  assert.deepEqual((await write(null)).body.results, []);
  assert.deepEqual((await patch(null)).body.results, []);
  assert.deepEqual(await deals(), before);
});

Deno.test("simultaneous batches with the same contacts, stages and deals all succeed, whatever the order of their items", async () => {
  const items = Array.from({ length: 40 }, (_, at) => ({ ...good, stage_id: stage_ids[at % 3] }));
  const { body: { results } } = await write(items);
  const ids = results.map(({ id }: { id: string }) => id);
  const shuffled = <Item>(items: Item[]) =>
    items.map((item) => ({ item, at: Math.random() })).sort((one, two) => one.at - two.at)
      .map(({ item }) => item);
  const batches = Array.from(
    { length: 96 },
    (_, number) => () =>
      number % 4 === 0
        ? write(shuffled(items))
        : patch(shuffled(ids.map((id: string, at: number) => ({ id, title: `Deal ${at}` })))),
  );
  const workers = Array.from({ length: 8 }, async () => {
    for (let next = batches.shift(); next; next = batches.shift()) {
      const { status, body } = await next();
      assert.equal(status, 200, JSON.stringify(body));
      assert.ok(body.results.every(({ status }: { status: number }) => status < 400));
    }
  });
  await Promise.all(workers);
});

Deno.test("a batch that contains one deal 500 times writes the deal once per status change, and the deal's history has every change", async () => {
  await rolledBack(async (sql) => {
    const row = { company_id: company.id, ...good };
    const [{ id }] = await sql`insert into deals ${sql(row)} returning id`;
    const moves = new Map([[100, "won"], [200, "lost"], [300, "open"]]);
    const items = Array.from({ length: 500 }, (_, n) => ({
      ...{ id, title: `Deal ${n}`, value: n },
      ...(moves.has(n) && { status: moves.get(n)! }),
    }));
    const updates = async () => {
      const [row] = await sql`
        select n_tup_upd::integer as updates from pg_stat_xact_user_tables where relid = 'deals'::regclass
      `;
      return row.updates;
    };
    const before = await updates();
    await sql`select app.patch_deals(${company.id}, array(select jsonb_array_elements(${
      sql.json(items)
    })))`;
    assert.equal(await updates() - before, moves.size);
    const [deal] = await sql`select title, value::integer, status from deals where id = ${id}`;
    assert.deepEqual({ ...deal }, { title: "Deal 499", value: 499, status: "open" });
    const told = await sql`select * from deal_history where deal_id = ${id} order by at`;
    assert.equal(told.length, 4);
  });
});
