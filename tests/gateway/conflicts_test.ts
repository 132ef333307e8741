import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

// Tests conflicts with rows that are deleted or changed before the response. After a conflict, the
// gateway looks for the existing row. If that row no longer conflicts, the gateway tries the write
// again. An error must not name a row that no longer exists.

Deno.test("a contact can get a phone number if the previous contact with this number is deleted during the request", async () => {
  const company = await newCompany();
  const phone = anyPhone();
  await statement`insert into contacts (company_id, phone) values (${company.id}, ${phone})`;
  await using database = watchedStack(async (request) => {
    if (!request.url.includes("contact_id_by_phone")) return null;
    await statement`delete from contacts where company_id = ${company.id} and phone = ${phone}`;
    return null;
  });
  const request = await ownGateway(database.url);
  const path = `/contacts/${company.contact_id}`;
  const { status, body } = await request(company.keys.all, "PATCH", path, { phone });
  assert.deepEqual([status, body.data.phone], [200, phone]);
});

Deno.test("a closed conversation can be reopened if the contact's open conversation is closed during the request", async () => {
  const company = await newCompany();
  const other = await withDatabase(async (sql) => {
    await sql`update conversations set status = 'closed' where id = ${company.conversation_id}`;
    const [{ id }] = await sql`
      insert into conversations (company_id, contact_id, messaging_account_id)
      values (${company.id}, ${company.contact_id}, ${company.account_id}) returning id
    `;
    return id;
  });
  await using database = watchedStack(async (request) => {
    if (!request.url.includes("other_conversation_not_closed")) return null;
    await statement`update conversations set status = 'closed' where id = ${other}`;
    return null;
  });
  const request = await ownGateway(database.url);
  const path = `/conversations/${company.conversation_id}`;
  const { status, body } = await request(company.keys.all, "PATCH", path, { status: "open" });
  assert.deepEqual([status, body.data.status], [200, "open"]);
});
