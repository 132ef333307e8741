// The operation that answers one row by its id, for a table whose rows are answered as they are stored.
import assert from "node:assert/strict";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { table } from "../../supabase/functions/_shared/database/table.ts";
import { api } from "../../supabase/functions/_shared/http/api.ts";
import { readOperation } from "../../supabase/functions/_shared/http/read_operation.ts";
import { Member } from "../../supabase/functions/gateway/resources/members.ts";
import { newCompany } from "../support/company.ts";
import { watchedStack } from "../support/own_functions.ts";
import { environment } from "../support/test_stack.ts";

const [ours, theirs] = [await newCompany(), await newCompany()];

async function memberOf(supabaseUrl: string, id: string) {
  const config = await readConfig(environment({ supabaseUrl }));
  const members = table("company_members", Member, { id: "user_id" });
  const read = readOperation({
    id: "getMember",
    path: "/members/:id",
    table: members,
    name: "Member",
  });
  const app = api(config, { name: "people", operations: [read], scopeOf: () => "read" });
  const answer = await app.fetch(
    new Request(`http://edge/people/members/${id}`, { headers: { "X-Api-Key": ours.keys.read } }),
  );
  return { status: answer.status, body: await answer.json() };
}

Deno.test("a row is read by its id in one statement, also when its column has another name", async () => {
  await using database = watchedStack();
  const { status, body } = await memberOf(database.url, ours.member_id);
  assert.deepEqual([status, body.data.id, body.data.role], [200, ours.member_id, "owner"]);
  assert.deepEqual(Object.keys(body.data), Object.keys(Member.shape));
  assert.equal(database.seen[0].path, "/rest/v1/company_members");
});

Deno.test("a row of another company is not found, like one that does not exist", async () => {
  await using database = watchedStack();
  for (const id of [theirs.member_id, crypto.randomUUID()]) {
    const { status, body } = await memberOf(database.url, id);
    assert.deepEqual([status, body.code, body.error], [404, "not_found", "Member not found"]);
  }
});
