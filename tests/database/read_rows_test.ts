// The functions of the database find rows through an index: with thousands of rows in a company, no table is
// scanned, and hardly any row is read that is not needed.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, actAsSuperuser, rolledBack } from "../support/acting_as.ts";
import { type Company, newCompany } from "../support/company.ts";
import { claim, SENT, settle } from "./sends.ts";

type Sql = postgres.TransactionSql;

const MANY = 3000;

/** Gives a company MANY contacts, each with a conversation, a message and a send. */
async function fill(sql: Sql, { id, account_id }: Company) {
  await sql`
    with contact as (
      insert into contacts (company_id, phone)
      select ${id}, '+1555' || 1000000 + n from generate_series(1, ${MANY}::int) n returning id
    ), conversation as (
      insert into conversations (company_id, contact_id, messaging_account_id)
      select ${id}, id, ${account_id} from contact returning id
    ), message as (
      insert into messages (company_id, conversation_id, direction, content, outcome)
      select ${id}, id, 'outbound', 'Hello', 'accepted' from conversation returning id
    )
    insert into sends (
      id, company_id, message_id, claim_id, idempotency_key, created_conversation, template_name, language_code,
      state, whatsapp_message_id
    )
    select gen_random_uuid(), ${id}, id, gen_random_uuid(), 'key-' || id, true, 'order_update', 'pt_BR',
      'sent', 'wamid.' || id
    from message
  `;
  await sql`analyze contacts, conversations, messages, sends, messaging_accounts, api_keys`;
  // Since the planner has looked, outcomes were lost: it takes them for few.
  await sql`
    update sends set state = 'pending', whatsapp_message_id = null, lease_ends_at = now() - interval '1 hour'
    where company_id = ${id} and idempotency_key in (
      select idempotency_key from sends where company_id = ${id} limit 100
    )
  `;
}

const TABLES = ["contacts", "conversations", "messages", "sends"];

/** How many rows of the large tables some work reads; asserts that it scans none of these tables. */
async function rowsRead(sql: Sql, work: () => Promise<unknown>): Promise<number> {
  const counted = async () => [
    ...await sql`
      select relname as table, seq_scan::int as scans, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
      from pg_stat_xact_user_tables where schemaname = 'public' and relname in ${
      sql(TABLES)
    } order by relname
    `,
  ];
  const before = await counted();
  await work();
  await actAsSuperuser(sql);
  const changes = (await counted()).map(({ table, scans, rows }, i) => ({
    table,
    scans: scans - before[i].scans,
    rows: rows - before[i].rows,
  }));
  assert.deepEqual(changes.filter(({ scans }) => scans > 0), [], "a table was scanned");
  return changes.reduce((sum, { rows }) => sum + rows, 0);
}

Deno.test("looking up what a write conflicts with, and claiming, repeating and settling a send, reads no other rows", async () => {
  const company = await newCompany();
  const key = company.keys.messaging;
  await rolledBack(async (sql) => {
    await fill(sql, company);
    const asKey = async (scope: string) =>
      await actAs(sql, "api_client", { key_hash: await hashKey(company.keys.all), scope });

    await asKey("write");
    const found = await rowsRead(sql, async () => {
      const [{ id }] = await sql`select contact_id_by_phone('+15551001500') as id`;
      assert.ok(id);
    });
    assert.equal(found, 1);
    const beside = await rowsRead(sql, async () => {
      await sql`select other_conversation_not_closed(${company.conversation_id})`;
    });
    assert.ok(beside <= 3, `${beside} rows`);

    const known = { phone: "+15551001501", idempotency_key: "once", claim_id: crypto.randomUUID() };
    const claims: [Record<string, unknown>, string][] = [
      [known, "claimed"],
      [known, "repeat"],
      [{ phone: "+15550199999" }, "claimed"],
    ];
    for (const [asked, result] of claims) {
      const read = await rowsRead(sql, async () => {
        assert.equal((await claim(sql, key, asked)).result, result);
      });
      assert.ok(read <= 12, `${result}: ${read} rows`);
    }
    const settled = await rowsRead(sql, () => settle(sql, known.claim_id, SENT));
    assert.ok(settled <= 12, `${settled} rows`);
  });
});
