// Tests the number of sends by day and state, which owners and admins see. The count reads an
// index.

import assert from "node:assert/strict";
import {
  actAs,
  actAsPerson,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
} from "../support/acting_as.ts";
import { addSentMessage, newCompany, newMembers } from "../support/company.ts";

const own = await newCompany();
const other = await newCompany();
const [agent, admin] = await newMembers(own, "agent", "admin");

/** Adds a send of this age. */
async function addSendOf(sql: Sql, age: string, columns = {}, company = own) {
  const message_id = await addSentMessage(sql, company, { idempotency_key: null, ...columns });
  await sql`
    update sends set created_at = date_trunc('day', now(), 'UTC') + '12:00'::interval - ${age}::interval
    where message_id = ${message_id}
  `;
}

/** The counts as "days ago, state: sends". After the call, the superuser acts again. */
async function counted(sql: Sql, days?: number, person = own.member_id): Promise<string[]> {
  await actAsPerson(sql, person);
  const rows = await sql`
    select (now() at time zone 'UTC')::date - day as ago, state, sends::int
    from sends_by_state(${
    days === undefined ? sql`company_id => ${own.id}` : sql`${own.id}, ${days}`
  })
  `;
  await actAsSuperuser(sql);
  return rows.map(({ ago, state, sends }) => `${ago} ${state}: ${sends}`);
}

Deno.test("sends are counted by day in UTC and by the state that GET /sends returns", async () => {
  await rolledBack(async (sql) => {
    // The time zone of the session makes no difference.
    await sql`set local time zone 'Pacific/Kiritimati'`;
    const failed = { state: "failed", reason: "template_rejected" };
    const over = new Date(Date.now() - 1000);
    await addSendOf(sql, "0");
    await addSendOf(sql, "11:59");
    await addSendOf(sql, "12:01");
    await addSendOf(sql, "0", failed);
    await addSendOf(sql, "0", { state: "released", reason: "channel_unavailable" });
    await addSendOf(sql, "0", { state: "pending" });
    await addSendOf(sql, "0", { state: "pending", lease_ends_at: over });
    await addSendOf(sql, "29 days", failed);
    await addSendOf(sql, "30 days", failed);
    await addSendOf(sql, "0", {}, other);
    const today = ["0 failed: 2", "0 pending: 1", "0 released: 1", "0 sent: 2"];
    assert.deepEqual(await counted(sql), ["29 failed: 1", "1 sent: 1", ...today]);
    assert.deepEqual(await counted(sql, 1), today);
    assert.deepEqual(await counted(sql, 31, admin), [
      ...["30 failed: 1", "29 failed: 1", "1 sent: 1"],
      ...today,
    ]);
    await actAsPerson(sql, own.member_id);
    for (const days of [0, -1, 91, 2 ** 31 - 1, null]) {
      const asking = (sql: Sql) => sql`select sends_by_state(${own.id}, ${days})`;
      assert.equal(await refusal(sql, asking), "PT422", String(days));
    }
  });
});

Deno.test("agents, people of another company and other roles are refused", async () => {
  await rolledBack(async (sql) => {
    const asking = (sql: Sql) => sql`select sends_by_state(${own.id})`;
    for (const person of [agent, other.member_id]) {
      await actAsPerson(sql, person);
      assert.equal(await refusal(sql, asking), "PT403");
    }
    await actAs(sql, "authenticated");
    assert.equal(await refusal(sql, asking), "PT403");
    await actAsPerson(sql, own.member_id);
    for (const id of [other.id, crypto.randomUUID(), null]) {
      assert.equal(await refusal(sql, (sql) => sql`select sends_by_state(${id})`), "PT403");
    }
    for (const role of ["anon", "service_role", "api_client", "api_reader"] as const) {
      await actAs(sql, role);
      assert.equal(await refusal(sql, asking), "42501", role);
    }
  });
});

Deno.test("counting a few days reads only the sends of those days, by an index", async () => {
  // The index contains sends of other tests that were rolled back.
  const company = await newCompany();
  await rolledBack(async (sql) => {
    await sql`set local session_replication_role = replica`;
    for (const { id } of [company, other]) {
      await sql`
        insert into sends (company_id, message_id, claim_id, state, whatsapp_message_id, created_at)
        select ${id}, gen_random_uuid(), gen_random_uuid(), 'sent', 'wamid.' || n, now() - n * interval '3 hours'
        from generate_series(1, 3000) as n
      `;
    }
    await sql`set local session_replication_role = origin`;
    await sql`analyze sends`;
    const reads = async () => {
      const [counts] = await sql`
        select
          pg_stat_get_xact_numscans('sends'::regclass)::int as scans,
          pg_stat_get_xact_tuples_returned('sends_newest_first_idx'::regclass)::int as rows,
          (select sum(pg_stat_get_xact_tuples_returned(indexrelid))::int from pg_index
           where indrelid = 'sends'::regclass) as every_row
      `;
      return counts;
    };
    const before = await reads();
    await actAsPerson(sql, company.member_id);
    const sends = await sql`select sends::int as sends from sends_by_state(${company.id}, 7)`;
    await actAsSuperuser(sql);
    const found = sends.reduce((sum, each) => sum + each.sends, 0);
    assert.ok(found >= 48 && found <= 56, `${found}`);
    const after = await reads();
    assert.deepEqual([after.scans - before.scans, after.rows - before.rows], [0, found]);
    assert.equal(after.every_row - before.every_row, found);
  });
});
