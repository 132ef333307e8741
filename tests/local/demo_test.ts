import assert from "node:assert/strict";
import { connectDemoAccount, DEMO_COMPANY_ID } from "../../local/demo.ts";
import type { Sql } from "../../local/postgres/database.ts";
import { rolledBack } from "../support/acting_as.ts";
import { environment } from "../support/test_stack.ts";

Deno.test("the demo account is connected to the sandbox unless another company has its phone number", async () => {
  await rolledBack(async (transaction) => {
    const sql = transaction as unknown as Sql;
    const isConnected = async () => {
      const [row] = await sql`
        select count(*)::int from messaging_accounts
        where company_id = ${DEMO_COMPANY_ID} and disconnected_at is null
      `;
      return row.count === 1;
    };
    assert.ok(await isConnected());
    await connectDemoAccount(sql, null);
    assert.ok(!await isConnected());
    await connectDemoAccount(sql, environment().CREDENTIALS_KEY);
    assert.ok(await isConnected());

    await connectDemoAccount(sql, null);
    await sql`
      with other as (insert into companies (name) values ('Other') returning id)
      insert into messaging_accounts (company_id, phone_number_id, display_phone, encrypted_token)
      select other.id, account.phone_number_id, account.display_phone, 'h..iv.c.t'
      from other, messaging_accounts as account where account.company_id = ${DEMO_COMPANY_ID}
    `;
    await connectDemoAccount(sql, environment().CREDENTIALS_KEY);
    assert.ok(!await isConnected());
  });
});
