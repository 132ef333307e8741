// A pending send whose lease has expired is marked as failed and is never sent again, because its
// outcome is unknown.

import assert from "node:assert/strict";
import { actAs, actAsSuperuser, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, disconnectAccounts, newCompany } from "../support/company.ts";
import { claim, endLease, FAILED, RELEASED, SENT, settle, standing } from "./sends.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const key = own.keys.messaging;

const UNKNOWN = {
  state: "failed",
  reason: "outcome_unknown",
  channel_code: null,
  id: null,
  message_status: "failed",
  message_id: null,
  moved: false,
};

/**
 * Marks every send with an expired lease as failed, as the scheduled job does. Returns the number
 * of these sends.
 */
async function failExpired(sql: Sql): Promise<number> {
  await actAs(sql, "service_role");
  const [{ count }] = await sql`select fail_expired_sends() as count`;
  await actAsSuperuser(sql);
  return count;
}

/** The number of sends that this transaction has marked as failed, in all companies. */
async function endedHere(sql: Sql): Promise<number> {
  const [{ count }] = await sql`
    select count(*)::int from sends
    where xmin = pg_current_xact_id()::xid and reason = 'outcome_unknown'
  `;
  return count;
}

test("a repeat reports a send as pending until the send's lease expires, and as failed afterwards", async (sql) => {
  const asked = { phone: anyPhone(), idempotency_key: "once" };
  const { send_id, conversation_id, message_id } = await claim(sql, key, asked);
  const repeat = (status: string) => ({ result: "repeat", status, conversation_id, message_id });
  await sql`
    update sends set lease_ends_at = now() + interval '1 microsecond' where id = ${send_id}
  `;
  assert.deepEqual(await claim(sql, key, asked), repeat("pending"));
  assert.equal((await standing(sql, send_id)).state, "pending");
  await endLease(sql, send_id);
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(await claim(sql, key, asked), repeat("failed"));
    assert.deepEqual(await standing(sql, send_id), UNKNOWN);
  }
});

Deno.test("a repeat reports a send with an expired lease as failed, even if new sends would be refused", async () => {
  const obstacles = [
    (sql: Sql) => sql`update contacts set do_not_contact = true where company_id = ${own.id}`,
    (sql: Sql) => disconnectAccounts(sql, own.id),
  ];
  for (const obstacle of obstacles) {
    await rolledBack(async (sql) => {
      const asked = { phone: anyPhone(), idempotency_key: "once" };
      const { send_id } = await claim(sql, key, asked);
      await endLease(sql, send_id);
      await obstacle(sql);
      assert.equal((await claim(sql, key, asked)).status, "failed");
      assert.deepEqual(await standing(sql, send_id), UNKNOWN);
    });
  }
});

test("a repeat can end only the lease of its own send", async (sql) => {
  const others = [
    await claim(sql, key, { idempotency_key: "twice" }),
    await claim(sql, key),
    await claim(sql, other.keys.messaging, { idempotency_key: "once" }),
  ];
  const asked = { phone: anyPhone(), idempotency_key: "once" };
  const { send_id } = await claim(sql, key, asked);
  for (const each of [send_id, ...others.map((claimed) => claimed.send_id)]) {
    await endLease(sql, each);
  }
  assert.equal((await claim(sql, key, asked)).status, "failed");
  for (const { send_id } of others) {
    assert.equal((await standing(sql, send_id)).state, "pending");
  }
});

test("a send that is claimed again after a release receives a new, full lease", async (sql) => {
  const claim_id = crypto.randomUUID();
  const asked = { phone: anyPhone(), idempotency_key: "once" };
  const { send_id } = await claim(sql, key, { claim_id, ...asked });
  await settle(sql, claim_id, RELEASED);
  await endLease(sql, send_id);
  await claim(sql, key, asked);
  assert.equal((await claim(sql, key, asked)).status, "pending");
});

test("the scheduled job marks all sends with expired leases as failed, in every company, and returns their number", async (sql) => {
  const expired = [
    await claim(sql, key, { idempotency_key: "once" }),
    await claim(sql, key),
    await claim(sql, other.keys.messaging),
  ];
  const running = await claim(sql, key);
  await sql`
    update sends set lease_ends_at = now() + interval '1 microsecond' where id = ${running.send_id}
  `;
  const settled: [string, unknown][] = [];
  for (const settlement of [SENT, FAILED, RELEASED]) {
    const claim_id = crypto.randomUUID();
    const { send_id } = await claim(sql, key, { claim_id });
    await settle(sql, claim_id, settlement);
    await endLease(sql, send_id);
    settled.push([send_id, await standing(sql, send_id)]);
  }
  for (const { send_id } of expired) await endLease(sql, send_id);

  const ended = await failExpired(sql);
  assert.equal(ended, await endedHere(sql));
  for (const { send_id } of expired) assert.deepEqual(await standing(sql, send_id), UNKNOWN);
  assert.equal((await standing(sql, running.send_id)).state, "pending");
  for (const [id, before] of settled) assert.deepEqual(await standing(sql, id as string), before);
  // In the meantime, leases of other tests may have expired.
  assert.equal(await failExpired(sql), await endedHere(sql) - ended);
});

test("the scheduled job does not read sends that are already settled", async (sql) => {
  // With few rows, the planner would scan the table.
  await sql`set local enable_seqscan = off`;
  const [row] = await sql`
    explain (format json) select id from sends
    where state = 'pending' and lease_ends_at <= now() for update skip locked
  `;
  assert.match(JSON.stringify(row), /sends_lease_idx/);
});
