import assert from "node:assert/strict";
import { connectDemoAccount, DEMO_COMPANY_ID, renewSandboxCatalogues } from "../../local/demo.ts";
import type { Sql } from "../../local/postgres/database.ts";
import { rolledBack } from "../support/acting_as.ts";
import { environment } from "../support/test_stack.ts";

Deno.test("the demo account is connected to the sandbox unless another company has its number", async () => {
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

Deno.test("a new sandbox has every catalogue read again, and no media is thought to be there", async () => {
  await rolledBack(async (transaction) => {
    const sql = transaction as unknown as Sql;
    await sql`
      insert into template_catalogues (company_id, business_account_id, synced_at, sync_due_at, failures)
      values (${DEMO_COMPANY_ID}, '900000000000001', now(), now() + interval '1 day', 3)
    `;
    await sql`
      insert into template_media (company_id, account_id, sample_source, media_id, uploaded_at)
      select company_id, id, 'http://127.0.0.1:9/old.png', '1', now() from messaging_accounts
      where company_id = ${DEMO_COMPANY_ID} and disconnected_at is null
    `;
    await renewSandboxCatalogues(sql);
    const [catalogue] = await sql`
      select sync_due_at <= now() as is_due, failures from template_catalogues where company_id = ${DEMO_COMPANY_ID}
    `;
    assert.deepEqual({ ...catalogue }, { is_due: true, failures: 0 });
    assert.equal((await sql`select from template_media`).count, 0);
  });
});
