import assert from "node:assert/strict";
import { newCompany, newMember } from "../support/company.ts";
import { type Answer, assertField, call } from "../support/calls.ts";
import { withDatabase } from "../support/test_stack.ts";

const company = await newCompany();
const { member_id, team_id } = company;

function patch(json: unknown, id = company.conversation_id): Promise<Answer> {
  return call(company.keys.all, "PATCH", `/conversations/${id}`, { json });
}

Deno.test("an update assigns a member and a team to a conversation, and null removes the assignment", async () => {
  const assigned = await patch({ assigned_to: member_id, team_id });
  assert.equal(assigned.status, 200);
  const { data } = assigned.body;
  assert.deepEqual([data.assigned_to, data.team_id, data.status], [member_id, team_id, "open"]);

  const { data: teamOnly } = (await patch({ assigned_to: null })).body;
  assert.deepEqual([teamOnly.assigned_to, teamOnly.team_id], [null, team_id]);
  const { data: nobody } = (await patch({ team_id: null })).body;
  assert.deepEqual([nobody.assigned_to, nobody.team_id], [null, null]);
});

Deno.test("the status of a conversation is open, pending or closed", async () => {
  for (const status of ["pending", "closed", "open"]) {
    assert.equal((await patch({ status })).body.data.status, status);
  }
  assertField(await patch({ status: "done" }), "status", /^must be one of open, pending, closed$/);
  assertField(await patch({ status: null }), "status", "must not be null");
});

Deno.test("`assigned_to` must be a member of the company, and `team_id` must be one of its teams", async () => {
  const stranger = await withDatabase(async (sql) =>
    await sql.begin(async (sql) => {
      const [other] = await sql`insert into companies (name) values ('Other') returning id`;
      return await newMember(sql, other.id, "agent");
    })
  );
  for (const id of [crypto.randomUUID(), stranger, team_id]) {
    const answer = await patch({ assigned_to: id });
    assertField(answer, "assigned_to", /^is not a member of your company$/);
  }
  for (const id of [crypto.randomUUID(), member_id]) {
    assertField(await patch({ team_id: id }), "team_id", /^is not a team of your company$/);
  }
});

Deno.test("an update without fields or with a read-only field is refused", async () => {
  assertField(await patch({}), "body", /^must have at least one of assigned_to, team_id, status$/);
  const moved = await patch({ last_message_at: "2026-01-01T00:00:00Z" });
  assertField(moved, "last_message_at", /read-only/);
  assertField(await patch({ window_expires_at: null }), "window_expires_at", /^is read-only$/);
  assertField(await patch({ contact_id: company.contact_id }), "contact_id", /^is not a field/);
  assertField(await patch({ assigned_to: "me" }), "assigned_to", /^must be a UUID$/);
});

Deno.test("a closed conversation cannot be reopened while another conversation is open, and the error contains the open conversation's id", async () => {
  const { keys, ...made } = await newCompany();
  const [second] = await withDatabase(async (sql) => {
    await sql`update conversations set status = 'closed' where id = ${made.conversation_id}`;
    return await sql`
      insert into conversations (company_id, contact_id, messaging_account_id)
      values (${made.id}, ${made.contact_id}, ${made.account_id}) returning id
    `;
  });
  const path = `/conversations/${made.conversation_id}`;
  const answer = await call(keys.write, "PATCH", path, { json: { status: "open" } });
  assert.deepEqual([answer.status, answer.body.code], [409, "conflict"]);
  assert.equal(answer.body.existing_id, second.id);
});
