// Tests the rows of a new company, the constraints on these rows, and what is deleted with the
// company.

import assert from "node:assert/strict";
import { actAs, refusal, rolledBack, type Sql } from "../support/acting_as.ts";
import { nameChannelApp } from "../support/channel_apps.ts";
import { addChannelFacts } from "../support/channel_facts.ts";
import {
  addDeletedRow,
  connectAccount,
  disconnectAccount,
  newCompany,
} from "../support/company.ts";
import { addKeyUsage } from "../support/key_usage.ts";
import { snapshot, tables } from "../support/snapshot.ts";
import { withDatabase } from "../support/test_stack.ts";
import { addWebhook } from "../support/webhooks.ts";
import { addSend } from "./sends.ts";
import { addCatalogue } from "./templates.ts";

Deno.test("a new company has a default pipeline with five stages, in order", async () => {
  await rolledBack(async (sql) => {
    await actAs(sql, "service_role");
    const [{ id }] = await sql`insert into companies (name) values ('New') returning id`;
    const pipelines = await sql`
      select name, position, is_default from pipelines where company_id = ${id}
    `;
    assert.deepEqual([...pipelines], [{ name: "Sales", position: 0, is_default: true }]);
    const stages = await sql`
      select name, position from stages where company_id = ${id}
        and pipeline_id = (select id from pipelines where company_id = ${id})
      order by position
    `;
    assert.deepEqual([...stages], [
      { name: "New lead", position: 0 },
      { name: "Qualified", position: 1 },
      { name: "Proposal", position: 2 },
      { name: "Negotiation", position: 3 },
      { name: "Closing", position: 4 },
    ]);
  });
});

Deno.test("a team name is unique within its company, but not across companies", async () => {
  const own = await newCompany();
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const add = (company_id: string) => (sql: Sql) =>
      sql`insert into teams ${sql({ company_id, name: "Night shift" })}`;
    await add(own.id)(sql);
    assert.equal(await refusal(sql, add(own.id)), "23505 teams_company_id_name_key");
    await add(other.id)(sql);
  });
});

Deno.test("a WhatsApp number is connected to only one company at a time and has only one account in each company", async () => {
  const own = await newCompany();
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const { phone_number_id } = own;
    const connect = (sql: Sql, company_id: string) =>
      connectAccount(sql, company_id, { phone_number_id });
    const elsewhere = await refusal(sql, (sql) => connect(sql, other.id));
    assert.equal(elsewhere, "23505 messaging_accounts_one_connection_idx");
    await disconnectAccount(sql, own.account_id);
    await connect(sql, other.id);
    const again = await refusal(sql, (sql) => connect(sql, own.id));
    assert.equal(again, "23505 messaging_accounts_one_per_number");
  });
});

Deno.test("a connected account must have an encrypted token, and a disconnected account must have none", async () => {
  const { account_id } = await newCompany();
  await rolledBack(async (sql) => {
    const refused: [Record<string, unknown>, string][] = [
      [{ encrypted_token: null }, "messaging_accounts_token_while_connected"],
      [{ disconnected_at: new Date() }, "messaging_accounts_token_while_connected"],
      [{ encrypted_token: "a plain token" }, "messaging_accounts_encrypted_token_check"],
      // This JWE contains an encrypted content key, which the service's tokens never contain.
      [{ encrypted_token: "h.k.iv.c.t" }, "messaging_accounts_encrypted_token_check"],
      [{ phone_number_id: "+15550100" }, "messaging_accounts_phone_number_id_check"],
      [{ phone_number_id: "" }, "messaging_accounts_phone_number_id_check"],
      [{ business_account_id: "x" }, "messaging_accounts_business_account_id_check"],
      [{ display_phone: "15550100" }, "messaging_accounts_display_phone_check"],
    ];
    for (const [change, check] of refused) {
      const changing = (sql: Sql) =>
        sql`update messaging_accounts set ${sql(change)} where id = ${account_id}`;
      assert.equal(await refusal(sql, changing), `23514 ${check}`, JSON.stringify(change));
    }
  });
});

Deno.test("an API key is stored as a digest and can have only known scopes", async () => {
  const { id } = await newCompany();
  await rolledBack(async (sql) => {
    const refused: [Record<string, unknown>, string][] = [
      [{ key_hash: "sk_live_x" }, "api_keys_key_hash_check"],
      [{ key_hash: "A".repeat(64) }, "api_keys_key_hash_check"],
      [{ hint: "12345" }, "api_keys_hint_check"],
      [{ scopes: [] }, "api_keys_scopes_check"],
      [{ scopes: ["admin"] }, "api_keys_scopes_check"],
    ];
    for (const [change, check] of refused) {
      const changing = (sql: Sql) =>
        sql`update api_keys set ${sql(change)} where company_id = ${id}`;
      assert.equal(await refusal(sql, changing), `23514 ${check}`, JSON.stringify(change));
    }
  });
});

Deno.test("deleting a company deletes all its rows and leaves other companies' rows unchanged", async () => {
  const gone = await newCompany();
  const kept = await newCompany();
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      for (const company of [gone, kept]) {
        const { id, conversation_id, team_id, member_id } = company;
        await sql`
          insert into messages (company_id, conversation_id, direction, content)
          values (${id}, ${conversation_id}, 'inbound', 'Hello')
        `;
        await addSend(sql, company);
        await addCatalogue(sql, company);
        await addDeletedRow(sql, company);
        await addChannelFacts(sql, company);
        await addKeyUsage(sql, company);
        await addWebhook(sql, company);
        await nameChannelApp(sql, company.account_id);
        await sql`
          update conversations set team_id = ${team_id}, assigned_to = ${member_id} where company_id = ${id}
        `;
      }
    })
  );
  const before = await snapshot(kept.id, { withUsage: true });
  assert.deepEqual(Object.keys(before).sort(), await tables());
  await withDatabase((sql) =>
    sql.begin(async (sql) => {
      await actAs(sql, "service_role");
      await sql`delete from companies where id = ${gone.id}`;
    })
  );
  assert.deepEqual(await snapshot(gone.id, { withUsage: true }), {});
  assert.deepEqual(await snapshot(kept.id, { withUsage: true }), before);
});
