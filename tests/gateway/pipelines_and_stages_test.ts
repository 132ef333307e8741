import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { call } from "../support/calls.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

const company = await newCompany();
const [second] = await withDatabase(async (sql) =>
  await sql`
    with renewals as (
      insert into pipelines (company_id, name, position) values (${company.id}, 'Renewals', 1) returning id
    ), _ as (
      insert into stages (company_id, pipeline_id, name, position)
      select ${company.id}, renewals.id, stage.name, stage.position
      from renewals, (values ('Signed', 1), ('Due', 0)) as stage (name, position)
    )
    select id from renewals
  `
);

Deno.test("pipelines are listed by position, with the fields of the specification", async () => {
  const { body } = await call(company.keys.read, "GET", "/pipelines");
  const names = body.data.map(({ name, position, is_default }: Record<string, unknown>) => [
    name,
    position,
    is_default,
  ]);
  assert.deepEqual(names, [["Sales", 0, true], ["Renewals", 1, false]]);
  assert.deepEqual(Object.keys(body.data[0]), [
    ...["id", "company_id", "name", "position", "is_default", "archived_at", "created_at"],
    ...["updated_at", "version"],
  ]);
  assert.deepEqual(body.pagination, { limit: 50, has_more: false, next_cursor: null });
});

Deno.test("stages are listed by pipeline and position, with the fields of the specification", async () => {
  const { body } = await call(company.keys.read, "GET", "/stages");
  assert.equal(body.data.length, 7);
  assert.deepEqual(Object.keys(body.data[0]), [
    ...["id", "company_id", "pipeline_id", "name", "position", "archived_at", "created_at"],
    ...["updated_at", "version"],
  ]);
  const order = body.data.map((stage: Record<string, string>) =>
    `${stage.pipeline_id} ${stage.position}`
  );
  assert.deepEqual(order, order.toSorted());
});

Deno.test("a pipeline without stages gives an empty list, and an unknown pipeline is refused", async () => {
  const [empty] = await withDatabase(async (sql) =>
    await sql`insert into pipelines (company_id, name) values (${company.id}, 'Empty') returning id`
  );
  const at = (id: string) => call(company.keys.read, "GET", `/stages?pipeline_id=${id}`);
  const none = await at(empty.id);
  assert.deepEqual([none.status, none.body.data], [200, []]);
  await statement`delete from pipelines where id = ${empty.id}`;
  const gone = await at(empty.id);
  assert.deepEqual([gone.status, gone.body.details], [422, [
    { field: "pipeline_id", message: "is not a pipeline of your company" },
  ]]);
  const wrong = await call("sk_live_wrong", "GET", `/stages?pipeline_id=${empty.id}`);
  assert.equal(wrong.body.code, "invalid_api_key");
});

Deno.test("pipeline_id limits the stages to one pipeline, on every page", async () => {
  const at = (query: string) => call(company.keys.read, "GET", `/stages?${query}`);
  const { body } = await at(`pipeline_id=${second.id}&limit=1`);
  assert.deepEqual(body.data.map(({ name }: { name: string }) => name), ["Due"]);
  const next = await at(`pipeline_id=${second.id}&limit=1&cursor=${body.pagination.next_cursor}`);
  assert.deepEqual(next.body.data.map(({ name }: { name: string }) => name), ["Signed"]);
  assert.equal(next.body.pagination.has_more, false);

  for (const id of ["", "1", "null", `${second.id},`]) {
    const answer = await at(`pipeline_id=${id}`);
    assert.deepEqual([answer.status, answer.body.details?.[0].field], [422, "pipeline_id"]);
  }
});
