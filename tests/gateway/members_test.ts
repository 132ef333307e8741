import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { newCompany, newMember } from "../support/company.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

const company = await newCompany();
const agent = await withDatabase((sql) =>
  sql.begin(async (sql) => {
    const id = await newMember(sql, company.id, "agent");
    await sql`update company_members set name = 'Zoë' where user_id = ${id}`;
    await sql`update auth.users set email = ${`${id}@people.example`} where id = ${id}`;
    return id;
  })
);

Deno.test("a member is found by e-mail address, regardless of case, only while the company allows this lookup", async () => {
  const path = (email: string) => `/members?${new URLSearchParams({ email })}`;
  const own = `${agent}@people.example`;
  const find = (email: string) => call(company.keys.read, "GET", path(email));
  const { body } = await find(own);
  assert.deepEqual(body.details, [{
    field: "email",
    message: "is not allowed as a filter in your company; an owner or admin can allow this filter",
  }]);
  // The response is the same for known and unknown e-mail addresses, so it does not reveal who is a
  // member.
  assert.deepEqual((await find("nobody@people.example")).body.details, body.details);

  await statement`update companies set members_found_by_email = true where id = ${company.id}`;
  for (const email of [own, own.toUpperCase(), ` ${own} `]) {
    const { body } = await find(email);
    assert.deepEqual(body.data.map(({ id }: { id: string }) => id), [agent], email);
    assert.ok(!JSON.stringify(body).includes("@"));
  }
  assert.deepEqual((await find("nobody@people.example")).body.data, []);
  // In a GET, PostgREST would parse the beginning of these addresses as an operator.
  for (const start of ["in", "is", "not", "cs", "eq", "like", "eq(any)"]) {
    const { status, body } = await find(`${start}.fo@people.example`);
    assert.deepEqual([status, body.data], [200, []], start);
  }
  const outside = await newCompany();
  await statement`update companies set members_found_by_email = true where id = ${outside.id}`;
  const other = await call(outside.keys.read, "GET", path(own));
  assert.deepEqual([other.status, other.body.data], [200, []]);
  await statement`update companies set members_found_by_email = false where id = ${company.id}`;
  assert.equal((await find(own)).status, 422);
});
