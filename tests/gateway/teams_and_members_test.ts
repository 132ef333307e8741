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

Deno.test("teams are listed newest first, and a team's id is accepted as team_id", async () => {
  const [{ id: newer }] = await statement`
    insert into teams (company_id, name) values (${company.id}, 'Night shift') returning id
  `;
  const { body } = await call(company.keys.read, "GET", "/teams");
  assert.deepEqual(body.data.map(({ id, name }: Record<string, string>) => [id, name]), [
    [newer, "Night shift"],
    [company.team_id, "Support"],
  ]);
  assert.deepEqual(Object.keys(body.data[0]), [
    ...["id", "company_id", "name", "created_at", "updated_at", "version"],
  ]);
  for (const { id } of body.data) await assign({ team_id: id });
});

Deno.test("members are listed newest first without an email address, and a member's id is accepted as assigned_to", async () => {
  const { body } = await call(company.keys.read, "GET", "/members");
  assert.deepEqual(
    body.data.map(({ id, name, role }: Record<string, string>) => [id, name, role]),
    [[agent, "Zoë", "agent"], [company.member_id, null, "owner"]],
  );
  assert.deepEqual(Object.keys(body.data[0]), [
    ...["id", "company_id", "name", "role", "created_at", "updated_at", "version"],
  ]);
  assert.ok(!JSON.stringify(body).includes("@"));
  for (const { id } of body.data) await assign({ assigned_to: id });
});

async function assign(changes: Record<string, string>) {
  const path = `/conversations/${company.conversation_id}`;
  const { status, body } = await call(company.keys.write, "PATCH", path, { json: changes });
  assert.equal(status, 200, JSON.stringify(body));
}

Deno.test("a member is found by e-mail address in any case, but only while the company allows it", async () => {
  const path = (email: string) => `/members?${new URLSearchParams({ email })}`;
  const own = `${agent}@people.example`;
  const find = (email: string) => call(company.keys.read, "GET", path(email));
  const { body } = await find(own);
  assert.deepEqual(body.details, [{
    field: "email",
    message: "finds no members in your company, because an owner or admin has not allowed it",
  }]);
  // The answer to an unknown address is the same, so it reveals nothing.
  assert.deepEqual((await find("nobody@people.example")).body.details, body.details);

  await statement`update companies set members_found_by_email = true where id = ${company.id}`;
  for (const email of [own, own.toUpperCase(), ` ${own} `]) {
    const { body } = await find(email);
    assert.deepEqual(body.data.map(({ id }: { id: string }) => id), [agent], email);
    assert.ok(!JSON.stringify(body).includes("@"));
  }
  assert.deepEqual((await find("nobody@people.example")).body.data, []);
  const outside = await newCompany();
  await statement`update companies set members_found_by_email = true where id = ${outside.id}`;
  const other = await call(outside.keys.read, "GET", path(own));
  assert.deepEqual([other.status, other.body.data], [200, []]);
  await statement`update companies set members_found_by_email = false where id = ${company.id}`;
  assert.equal((await find(own)).status, 422);
});
