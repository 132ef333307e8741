// An accepted message expires one hour after the end of its lifetime if the channel never reported
// that the message arrived.

import assert from "node:assert/strict";
import { actAs, actAsSuperuser, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { type Company, newCompany } from "../support/company.ts";
import { committed } from "./connections.ts";
import { RELEASED, SENT, settle } from "./sends.ts";
import { accepted, applyStatus, claimed, facts, mark, report } from "./statuses.ts";
import { catalogued, entry, FITTING } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();

/**
 * Marks the expired messages of all companies, as the job does. Returns the number of marked
 * messages.
 */
async function expire(sql: Sql): Promise<number> {
  await actAs(sql, "service_role");
  const [{ count }] = await sql`select expire_messages() as count`;
  await actAsSuperuser(sql);
  return count;
}

/** Ends a message's lifetime now. */
async function endLife(sql: Sql, messageId: string) {
  await sql`update messages set expires_at = now() where id = ${messageId}`;
}

/** The number of minutes during which a report about a message can arrive. */
async function awaited(sql: Sql, messageId: string): Promise<number | null> {
  const [{ minutes }] = await sql`
    select extract(epoch from expires_at - created_at)::int / 60 as minutes from messages where id = ${messageId}
  `;
  return minutes;
}

const DAYS_30 = 30 * 24 * 60;

Deno.test("a message expires one hour after the channel stops trying to deliver it", async () => {
  const lives: [Record<string, unknown>, number][] = [
    [{}, DAYS_30],
    [{ category: "MARKETING" }, DAYS_30],
    [{ category: null }, DAYS_30],
    [{ ttl_seconds: 43_200 }, 12 * 60],
    [{ category: "AUTHENTICATION" }, 10],
    [{ category: "AUTHENTICATION", ttl_seconds: 300 }, 5],
    // With the value -1, the channel tries to deliver the message for the longest possible time.
    [{ category: "MARKETING", ttl_seconds: -1 }, DAYS_30],
    [{ category: "AUTHENTICATION", ttl_seconds: -1 }, DAYS_30],
  ];
  for (const [changes, minutes] of lives) {
    await rolledBack(async (sql) => {
      await catalogued(sql, own, [entry(changes)]);
      const send = await claimed(sql, own, FITTING);
      assert.equal(await awaited(sql, send.message_id), null);
      await settle(sql, send.claim_id, SENT);
      assert.equal(await awaited(sql, send.message_id), minutes + 60, JSON.stringify(changes));
    });
  }
});

test("the lifetime is 30 days for an unknown template and for a message without a send", async (sql) => {
  const { message_id } = await accepted(sql, own);
  assert.equal(await awaited(sql, message_id), DAYS_30 + 60);
  const [{ id }] = await sql`
    insert into messages (company_id, conversation_id, direction, content, outcome)
    values (${own.id}, ${own.conversation_id}, 'outbound', 'Hello', 'accepted') returning id
  `;
  assert.equal(await awaited(sql, id), DAYS_30 + 60);
});

test("within one attempt of a send, `expires_at` of the message is set once and then stays", async (sql) => {
  const send = await claimed(sql, own, { idempotency_key: "once" });
  // This is the first report about the message.
  await applyStatus(sql, [own.account_id], report("sent", 1, { mark: mark(send) }));
  const [before] = await sql`select expires_at from messages where id = ${send.message_id}`;
  assert.ok(before.expires_at);
  await settle(sql, send.claim_id, SENT);
  const [after] = await sql`select expires_at from messages where id = ${send.message_id}`;
  assert.deepEqual(after, before);

  const released = await claimed(sql, own, { idempotency_key: "twice" });
  await settle(sql, released.claim_id, RELEASED);
  assert.equal(await awaited(sql, released.message_id), null);
  const again = await claimed(sql, own, { idempotency_key: "twice" });
  await settle(sql, again.claim_id, { ...SENT, whatsapp_message_id: "wamid.2" });
  assert.equal(await awaited(sql, again.message_id), DAYS_30 + 60);
});

test("only messages with the status `accepted` or `sent` expire at the end of their lifetime", async (sql) => {
  const ends: [string[], string][] = [
    [[], "expired"],
    [["sent"], "expired"],
    [["sent", "delivered"], "delivered"],
    [["read"], "read"],
    [["failed"], "failed"],
  ];
  const messages: string[] = [];
  for (const [i, [words]] of ends.entries()) {
    const { message_id } = await accepted(sql, own, `wamid.${i}`);
    for (const word of words) {
      await applyStatus(sql, [own.account_id], report(word, 1, { id: `wamid.${i}` }));
    }
    await endLife(sql, message_id);
    messages.push(message_id);
  }
  const alive = (await accepted(sql, own, "wamid.alive")).message_id;
  await sql`update messages set expires_at = now() + interval '1 microsecond' where id = ${alive}`;
  // A message without `expires_at` never expires.
  const old = (await accepted(sql, own, "wamid.old")).message_id;
  await sql`update messages set expires_at = null, created_at = '2026-01-01' where id = ${old}`;
  const pending = (await claimed(sql, own)).message_id;
  await endLife(sql, pending);

  assert.ok(await expire(sql) >= 2);
  for (const [i, [, status]] of ends.entries()) {
    const { status: shown, expired_at } = await facts(sql, messages[i]);
    assert.deepEqual([shown, expired_at !== undefined], [status, status === "expired"]);
  }
  assert.equal((await facts(sql, alive)).status, "accepted");
  assert.equal((await facts(sql, old)).status, "accepted");
  assert.equal((await facts(sql, pending)).status, "pending");
});

Deno.test("a new report about an expired message removes its status `expired`, but a repeated report does not", async () => {
  for (const word of ["sent", "delivered", "read", "failed"]) {
    await rolledBack(async (sql) => {
      const { message_id } = await accepted(sql, own);
      await endLife(sql, message_id);
      await expire(sql);
      assert.equal((await facts(sql, message_id)).status, "expired");
      await applyStatus(sql, [own.account_id], report(word, 1));
      const { status, expired_at } = await facts(sql, message_id);
      assert.deepEqual([status, expired_at], [word, undefined]);
      // The message does not expire again yet, because a delivery report may still arrive.
      await expire(sql);
      assert.equal((await facts(sql, message_id)).status, word);
      await endLife(sql, message_id);
      await expire(sql);
      assert.equal((await facts(sql, message_id)).status, word === "sent" ? "expired" : word);
      await applyStatus(sql, [own.account_id], report(word, 1));
      assert.equal((await facts(sql, message_id)).status, word === "sent" ? "expired" : word);
    });
  }
});

Deno.test("at most 1,000 messages expire at a time, and locked messages are left for later", async () => {
  const company = await newCompany();
  for (let isHeld = false; !isHeld;) {
    const message_id = await committed(async (sql) => {
      const { message_id } = await accepted(sql, company, `wamid.${crypto.randomUUID()}`);
      await endLife(sql, message_id);
      return message_id;
    });
    await committed(async (holder) => {
      // Another test's run of the job may already have marked this message as expired.
      const held = await holder`
        select from messages where id = ${message_id} and expired_at is null for update
      `;
      isHeld = held.count === 1;
      if (isHeld) await rolledBack((sql) => expireAllButHeld(sql, company));
    });
  }
});

/** Adds 1,001 expired messages to a company whose other expired message is locked, and expires them. */
async function expireAllButHeld(sql: Sql, { id, conversation_id }: Company) {
  await sql`set local lock_timeout = '5s'`;
  await sql`
    insert into messages (company_id, conversation_id, direction, content, outcome, expires_at)
    select ${id}, ${conversation_id}, 'outbound', 'Hello', 'accepted', '2026-01-01'
    from generate_series(1, 1001)
  `;
  const left = async () => {
    const [{ count }] = await sql`
      select count(*)::int from messages where company_id = ${id} and expired_at is null
    `;
    return count;
  };
  assert.equal(await expire(sql), 1000);
  assert.equal(await left(), 2);
  await expire(sql);
  assert.equal(await left(), 1);
}

test("the job that expires messages reads only messages whose delivery is still open", async (sql) => {
  // With few rows, the planner would scan the table.
  await sql`set local enable_seqscan = off`;
  const [row] = await sql`
    explain (format json) select id from messages
    where status in ('accepted', 'sent') and expires_at <= now() order by expires_at limit 1000
  `;
  assert.match(JSON.stringify(row), /messages_expiring_idx/);
});

test("operators see how many messages expired or were sent twice, and how many reports wait for a message", async (sql) => {
  // Hides the changes of other tests, which run at the same time.
  await sql`set transaction isolation level repeatable read`;
  const health = async () => (await sql`select channel_health() as health`)[0].health;
  await expire(sql);
  const before = await health();
  const { message_id } = await accepted(sql, own);
  const reported = await accepted(sql, own, "wamid.2");
  await applyStatus(sql, [own.account_id], report("sent", 1, { id: "wamid.2" }));
  for (const id of [message_id, reported.message_id]) await endLife(sql, id);
  await expire(sql);
  const double = report("sent", 1, { id: "wamid.3", mark: mark(reported) });
  assert.equal(await applyStatus(sql, [own.account_id], double), "double_send");
  await applyStatus(sql, [own.account_id], report("sent", 1, { id: "wamid.4" }));
  // `failures` also counts sends of other tests. sends_by_outcome_test.ts tests this field.
  const { failures: _, ...counts } = await health();
  assert.deepEqual(counts, {
    expired: before.expired + 2,
    expired_unreported: before.expired_unreported + 1,
    double_sends: before.double_sends + 1,
    waiting_facts: before.waiting_facts + 2,
  });
  // The message from two days ago no longer counts.
  await sql`update messages set expired_at = now() - interval '2 days' where id = ${message_id}`;
  assert.equal((await health()).expired, before.expired + 1);
});
