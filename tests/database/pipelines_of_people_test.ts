// Users write pipelines and stages directly through the Data API. The same rules apply to users as
// to API keys, and only the database itself writes a deal's history.

import assert from "node:assert/strict";
import { type Company, newCompany, newMember } from "../support/company.ts";
import type { Answer } from "../support/calls.ts";
import { assertInOrder } from "../support/pipelines.ts";
import { personToken, rest, token } from "../support/rest.ts";
import { snapshot } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";

const own = await newCompany();
const other = await newCompany();
const owner = await personToken(own.member_id);
const agent = await personToken(
  await withDatabase((sql) => sql.begin((sql) => newMember(sql, own.id, "agent"))),
);
const platform = await token({ role: "service_role" });

/** Adds a row as the agent, and returns the row. */
async function add(table: string, row: Record<string, unknown>): Promise<Record<string, string>> {
  const { status, body } = await rest(agent, "POST", `/${table}`, {
    json: { company_id: own.id, ...row },
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body[0];
}

function change(as: string, table: string, id: string, json: unknown): Promise<Answer> {
  return rest(as, "PATCH", `/${table}?id=eq.${id}`, { json });
}

function assertRefused({ status, body }: Answer, expected: number, sentence: RegExp) {
  assert.equal(status, expected, JSON.stringify(body));
  assert.match(body.message, sentence);
}

const archived = { archived_at: "2020-01-01T00:00:00Z" };

Deno.test("an agent can add, move and rename pipelines and stages, and their positions remain without gaps", async () => {
  const pipeline = await add("pipelines", { name: "Line", position: 0 });
  const stages = [];
  for (const name of ["a", "b", "c"]) {
    stages.push(await add("stages", { pipeline_id: pipeline.id, name }));
  }
  assert.deepEqual(stages.map(({ position }) => position), [0, 1, 2]);
  const [a, , c] = stages;
  const moved = await change(agent, "stages", a.id, { position: 1 });
  assert.equal(moved.body[0].position, 1);
  await change(agent, "stages", c.id, { pipeline_id: own.pipeline_id, position: 2, name: "C" });
  await change(agent, "pipelines", pipeline.id, { is_default: true, position: 99 });
  await assertInOrder(own.id);
  await change(agent, "pipelines", own.pipeline_id, { is_default: true });
  // Positions without gaps are stored as they were sent.
  const rows = [[1, "y"], [0, "x"]].map(([position, name]) => ({
    ...{ company_id: own.id, pipeline_id: pipeline.id, name, position },
  }));
  assert.equal((await rest(agent, "POST", "/stages", { json: rows })).status, 201);
  assert.equal((await rest(owner, "DELETE", `/stages?id=eq.${a.id}`)).status, 200);
  await assertInOrder(own.id);
});

Deno.test("owners and admins can archive a pipeline or stage that has no deals, and no one can restore it", async () => {
  const pipeline = await add("pipelines", { name: "Ending" });
  const stage = await add("stages", { pipeline_id: pipeline.id, name: "Due" });
  const deal = await add("deals", {
    ...{ title: "Deal", contact_id: own.contact_id, stage_id: stage.id },
  });
  for (const [table, { id }] of [["stages", stage], ["pipelines", pipeline]] as const) {
    for (const who of [owner, platform]) {
      assertRefused(await change(who, table, id, archived), 409, /has deals/);
    }
  }
  await change(agent, "deals", deal.id, { stage_id: own.stage_ids[1] });
  assertRefused(await change(agent, "stages", stage.id, archived), 403, /owners and admins/);
  assertRefused(await change(agent, "pipelines", pipeline.id, archived), 403, /owners and admins/);
  const done = await change(owner, "pipelines", pipeline.id, archived);
  assert.equal(done.status, 200);
  assert.ok(done.body[0].archived_at > "2026");
  for (const json of [{ archived_at: null }, { position: 9 }]) {
    assertRefused(await change(owner, "stages", stage.id, json), 409, /stays archived/);
    assertRefused(await change(owner, "pipelines", pipeline.id, json), 409, /stays archived/);
  }
  const into = [
    await change(agent, "deals", deal.id, { stage_id: stage.id }),
    await rest(agent, "POST", "/stages", {
      json: { company_id: own.id, pipeline_id: pipeline.id, name: "x" },
    }),
    await change(agent, "stages", own.stage_ids[0], { pipeline_id: pipeline.id }),
  ];
  for (const { body } of into) assert.equal(body.code, "23503");
  await assertInOrder(own.id);
});

Deno.test("no one, not even the platform, can remove the default pipeline", async () => {
  const { pipeline_id } = own;
  for (const who of [agent, owner, platform]) {
    const unset = await change(who, "pipelines", pipeline_id, { is_default: false });
    assertRefused(unset, 409, /one default pipeline/);
  }
  for (const who of [owner, platform]) {
    assertRefused(await change(who, "pipelines", pipeline_id, archived), 409, /default|has deals/);
    const deleting = await rest(who, "DELETE", `/pipelines?id=eq.${pipeline_id}`);
    assertRefused(deleting, 409, /cannot be deleted/);
  }
  await assertInOrder(own.id);
});

Deno.test("users see the deal histories of their own company, but cannot change another company's pipelines", async () => {
  const before = await snapshot(other.id);
  const seen = await rest(agent, "GET", "/deal_history?select=company_id");
  assert.ok(seen.body.length > 0);
  assert.ok(seen.body.every(({ company_id }: { company_id: string }) => company_id === own.id));
  const foreign: [keyof Company, string][] = [["pipeline_id", "pipelines"]];
  for (const [id, table] of foreign) {
    const answer = await change(owner, table, other[id] as string, { ...archived, name: "x" });
    assert.deepEqual([answer.status, answer.body], [200, []]);
  }
  const stage = await change(owner, "stages", other.stage_ids[0], { position: 3 });
  assert.deepEqual(stage.body, []);
  const rpc = await rest(owner, "POST", "/rpc/archive_stage", {
    json: { stage_id: own.stage_ids[4] },
  });
  assert.equal(rpc.status, 403);
  assert.deepEqual(await snapshot(other.id), before);
});
