import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { type Answer, call } from "../support/calls.ts";
import { assertInOrder } from "../support/pipelines.ts";
import { personToken, rest, token } from "../support/rest.ts";
import { statement } from "../support/test_stack.ts";

const company = await newCompany();
const { contact_id, stage_ids: [first, second, third] } = company;
const [{ id: api_key_id }] = await statement`
  select id from api_keys where company_id = ${company.id} and scopes = '{write}'
`;

async function newDeal(): Promise<string> {
  const json = { title: "Deal", contact_id, stage_id: first };
  return (await call(company.keys.write, "POST", "/deals", { json })).body.data.id;
}

function patch(id: string, json: unknown): Promise<Answer> {
  return call(company.keys.write, "PATCH", `/deals/${id}`, { json });
}

async function historyOf(id: string, query = ""): Promise<Answer["body"]> {
  const { status, body } = await call(company.keys.read, "GET", `/deals/${id}/history${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

type Entry = Record<string, unknown>;
const movesOf = (entries: Entry[]) => entries.map(({ kind, from, to, by }) => [kind, from, to, by]);

Deno.test("a deal's history shows who created, moved, won, lost or reopened the deal, newest entry first", async () => {
  const id = await newDeal();
  const created = (await call(company.keys.read, "GET", `/deals/${id}`)).body.data;
  assert.equal(created.stage_changed_at, created.created_at);
  // A change to another field does not add an entry.
  await patch(id, { title: "Bigger", stage_id: first, status: "open" });
  const won = (await patch(id, { stage_id: second, status: "won" })).body.data;
  const person = await personToken(company.member_id);
  await rest(person, "PATCH", `/deals?id=eq.${id}`, { json: { stage_id: third, status: "lost" } });
  await rest(await token({ role: "service_role" }), "PATCH", `/deals?id=eq.${id}`, {
    json: { status: "open", won_at: "2020-01-01T00:00:00Z", stage_changed_at: "2020-01-01" },
  });
  const { data, pagination } = await historyOf(id);
  const [byKey, byPerson] = [{ api_key_id }, { user_id: company.member_id }];
  assert.deepEqual(movesOf(data), [
    ["status_changed", "lost", "open", null],
    ["status_changed", "won", "lost", byPerson],
    ["stage_changed", second, third, byPerson],
    ["status_changed", "open", "won", byKey],
    ["stage_changed", first, second, byKey],
    ["created", null, first, byKey],
  ]);
  assert.deepEqual(Object.keys(data[0]), ["id", "kind", "from", "to", "at", "by"]);
  assert.deepEqual(pagination, { limit: 50, has_more: false, next_cursor: null });
  const times = data.map(({ at }: Entry) => at);
  assert.deepEqual(times, [...new Set(times)].sort().reverse());
  assert.deepEqual([won.stage_changed_at, won.won_at, won.lost_at], [times[4], times[3], null]);
  const { data: open } = (await call(company.keys.read, "GET", `/deals/${id}`)).body;
  assert.deepEqual([open.won_at, open.lost_at, open.stage_changed_at], [null, null, times[2]]);
  await assertInOrder(company.id);
});

Deno.test("a history can be paged, filtered and sorted, and an unknown deal returns a 404", async () => {
  const id = await newDeal();
  for (const stage_id of [second, third, first]) await patch(id, { stage_id });
  const whole = (await historyOf(id)).data;
  const first_page = await historyOf(id, "?limit=3");
  const { next_cursor } = first_page.pagination;
  const last_page = await historyOf(id, `?limit=3&cursor=${next_cursor}`);
  assert.deepEqual([...first_page.data, ...last_page.data], whole);
  assert.deepEqual((await historyOf(id, "?sort=at")).data, whole.toReversed());
  assert.deepEqual((await historyOf(id, "?kind=created")).data, whole.slice(-1));
  assert.deepEqual((await historyOf(id, "?kind=status_changed")).data, []);
  assert.deepEqual((await historyOf(id, "?fields=from,to&limit=1")).data, [
    { from: third, to: first },
  ]);
  const path = `/deals/${crypto.randomUUID()}/history`;
  const unknown = await call(company.keys.read, "GET", `${path}?kind=created`);
  assert.deepEqual([unknown.status, unknown.body.error], [404, "Deal not found"]);
  const foreign = await call((await newCompany()).keys.read, "GET", `/deals/${id}/history`);
  assert.deepEqual([foreign.status, foreign.body.error], [404, "Deal not found"]);
});
