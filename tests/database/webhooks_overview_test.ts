// Tests the operators' list of webhooks while many deliveries wait, as in an outage.
import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { addWebhook } from "../support/webhooks.ts";

const company = await newCompany();

Deno.test("the list of webhooks finds the oldest open event without reading all open deliveries", async () => {
  await rolledBack(async (sql) => {
    const webhook_id = await addWebhook(sql, company);
    await sql`
      insert into app.open_deliveries (
        webhook_id, record_id, seq, slot, event_id, company_id, type, due_at
      )
      select
        ${webhook_id}, gen_random_uuid(), seq, 0, app.new_event_id(at), ${company.id}, 'deal.won', at
      from generate_series(1, 30000) as seq
      cross join lateral (select timestamptz '2026-11-01 10:00Z' + seq * interval '1 second' as at) as made
    `;
    const reads = async () => {
      const [{ count }] = await sql`
        select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as count
        from pg_stat_xact_user_tables where relid = 'app.open_deliveries'::regclass
      `;
      return count;
    };
    const before = await reads();
    const [{ found }] = await sql`select webhooks_overview(${company.id}) as found`;
    assert.equal(found[0].open_deliveries, 10_000);
    assert.equal(Date.parse(found[0].oldest_open_at), Date.parse("2026-11-01T10:00:01Z"));
    // The deliveries are counted up to 10,000.
    assert.ok(await reads() - before < 10_010, `${await reads() - before} rows were read`);
  });
});
