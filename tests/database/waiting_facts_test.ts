// A report about an unknown message id waits until a message receives that id.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { connectAccount, newCompany } from "../support/company.ts";
import { committed } from "./connections.ts";
import { SENT, settle } from "./sends.ts";
import { applyStatus, at, claimed, facts, failure, ledger, report, waiting } from "./statuses.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();

/**
 * Runs the job, and returns the sum of two numbers for this company: the waiting events that the
 * job applied, and the replies that the job linked. The job itself returns a number that includes
 * rows of other tests.
 */
async function runJob(sql: Sql, max = 100): Promise<number> {
  const left = async () => {
    const [{ rows }] = await sql`
      select (select count(*)::int from waiting_facts where company_id = ${own.id})
        + (
          select count(*)::int from messages
          where company_id = ${own.id} and reply_to_whatsapp_id is not null and reply_to_id is null
        ) as rows
    `;
    return rows as number;
  };
  const before = await left();
  const [{ applied }] = await sql`select app.apply_waiting_facts(${max}) as applied`;
  const done = before - await left();
  assert.ok(applied >= done, `${applied} of all companies, ${done} of this company`);
  return done;
}

/**
 * Runs the job until it has applied an event of this company, at most 100 times, and returns the
 * result of the last run. A run chooses events at random, also from other companies.
 */
async function runJobs(sql: Sql, max?: number): Promise<number> {
  let done = 0;
  for (let runs = 0; runs < 100 && done === 0; runs++) done = await runJob(sql, max);
  return done;
}

/**
 * Stores a waiting event although the event's message exists. Two simultaneous transactions can
 * lead to this state.
 */
async function keep(sql: Sql, item: Record<string, unknown>) {
  const row = {
    company_id: own.id,
    account_id: own.account_id,
    whatsapp_message_id: item.id as string,
    item: sql.json(item as postgres.JSONValue),
  };
  await sql`insert into waiting_facts ${sql(row)}`;
}

/** Adds a message from the company or the contact. By default, the message has no channel id. */
async function addMessage(sql: Sql, row: Record<string, unknown>): Promise<string> {
  const { id: company_id, conversation_id } = own;
  const message = { company_id, conversation_id, content: "Hello", ...row };
  const [{ id }] = await sql`insert into messages ${sql(message)} returning id`;
  return id;
}

test("a report that arrives before the channel's response is stored once, and is applied with the response", async (sql) => {
  const send = await claimed(sql, own);
  for (const [word, seconds] of [["read", 9], ["failed", 3], ["sent", 1], ["read", 9]] as const) {
    const item = report(word, seconds);
    assert.equal(await applyStatus(sql, [own.account_id], item), "waiting");
  }
  assert.deepEqual(await waiting(sql, own.id), Array(3).fill("wamid.1"));
  assert.deepEqual(await facts(sql, send.message_id), { status: "pending" });

  await settle(sql, send.claim_id, SENT);
  assert.deepEqual(await facts(sql, send.message_id), {
    status: "read",
    id: "wamid.1",
    sent_at: at(1),
    read_at: at(9),
    failed_at: at(3),
    failure: failure(131026, "recipient_unreachable"),
  });
  assert.deepEqual(await ledger(sql, send.send_id), { state: "sent", id: "wamid.1" });
  assert.deepEqual(await waiting(sql, own.id), []);
});

test("reports that wait for an id are applied when a message is stored with that id", async (sql) => {
  await applyStatus(sql, [own.account_id], report("delivered", 1));
  const id = await addMessage(sql, {
    direction: "outbound",
    outcome: "accepted",
    whatsapp_message_id: "wamid.1",
  });
  assert.equal((await facts(sql, id)).status, "delivered");
  assert.deepEqual(await waiting(sql, own.id), []);
});

test("a waiting report is stored for each company that has had the number, and is applied for the company that sent the message", async (sql) => {
  const second = await connectAccount(sql, own.id);
  const accounts = [own.account_id, second.id, other.account_id];
  assert.equal(await applyStatus(sql, accounts, report("delivered", 1)), "waiting");
  assert.deepEqual(await waiting(sql, own.id), ["wamid.1"]);
  assert.deepEqual(await waiting(sql, other.id), ["wamid.1"]);
  const send = await claimed(sql, other);
  await settle(sql, send.claim_id, SENT);
  assert.equal((await facts(sql, send.message_id)).status, "delivered");
  assert.deepEqual(await waiting(sql, own.id), ["wamid.1"]);
  assert.deepEqual(await waiting(sql, other.id), []);
});

test("a waiting report that cannot be applied keeps waiting, and does not undo the settlement of the send", async (sql) => {
  const send = await claimed(sql, own);
  await keep(sql, report("delivered", 1, { at: "yesterday evening" }));
  await keep(sql, report("sent", 1));
  assert.equal(await settle(sql, send.claim_id, SENT), "sent");
  assert.equal((await facts(sql, send.message_id)).status, "sent");
  assert.deepEqual(await waiting(sql, own.id), ["wamid.1"]);
  assert.equal(await runJob(sql), 0);
});

test("a waiting event of an unknown kind is deleted when the send is settled", async (sql) => {
  await keep(sql, { kind: "applause", id: "wamid.1" });
  const send = await claimed(sql, own);
  await settle(sql, send.claim_id, SENT);
  assert.deepEqual(await waiting(sql, own.id), []);
});

test("the job applies a report that was stored at the same time as its message", async (sql) => {
  const send = await claimed(sql, own);
  await settle(sql, send.claim_id, SENT);
  const imported = await addMessage(sql, {
    direction: "outbound",
    outcome: "accepted",
    whatsapp_message_id: "wamid.2",
  });
  await keep(sql, report("delivered", 1));
  await keep(sql, report("read", 2, { id: "wamid.2" }));
  await keep(sql, report("read", 2, { id: "wamid.unknown" }));
  assert.equal(await runJob(sql, 0), 0);
  assert.equal(await runJob(sql), 2);
  assert.equal((await facts(sql, send.message_id)).status, "delivered");
  assert.equal((await facts(sql, imported)).status, "read");
  assert.deepEqual(await waiting(sql, own.id), ["wamid.unknown"]);
  assert.equal(await runJob(sql), 0);
});

test("the job applies a report about a reaction if both were stored at the same time", async (sql) => {
  const reacted = async (wamid: string) =>
    await addMessage(sql, {
      ...{ direction: "inbound", own_reaction: sql.json({ emoji: "👍", at: at(0) }) },
      own_reaction_whatsapp_id: wamid,
    });
  const [failed, delivered] = [await reacted("wamid.1"), await reacted("wamid.2")];
  await keep(sql, report("failed", 1));
  await keep(sql, report("delivered", 1, { id: "wamid.2" }));
  assert.equal(await runJob(sql), 2);
  const rows = await sql`
    select id, own_reaction ->> 'emoji' as emoji from messages where id in (${failed}, ${delivered})
  `;
  const emoji = Object.fromEntries(rows.map(({ id, emoji }) => [id, emoji]));
  assert.deepEqual(emoji, { [failed]: null, [delivered]: "👍" });
  assert.deepEqual(await waiting(sql, own.id), []);
});

test("the job also finds a report among thousands that arrived in the same seconds", async (sql) => {
  const send = await claimed(sql, own);
  await settle(sql, send.claim_id, SENT);
  await keep(sql, report("delivered", 1));
  await sql`update waiting_facts set received_at = now() - interval '12 hours' where company_id = ${own.id}`;
  await sql`
    insert into waiting_facts (company_id, account_id, whatsapp_message_id, item, received_at)
    select ${own.id}, ${own.account_id}, 'wamid.many.' || n, '{ "kind": "status" }',
      now() - interval '12 hours' + n * interval '1 ms'
    from generate_series(-6000, 6000) as n
  `;
  await runJobs(sql);
  assert.equal((await facts(sql, send.message_id)).status, "delivered");
});

test("a report that can never be applied does not block other reports", async (sql) => {
  const send = await claimed(sql, own);
  await settle(sql, send.claim_id, SENT);
  await addMessage(sql, { direction: "inbound", whatsapp_message_id: "wamid.2" });
  await keep(sql, report("read", 2, { id: "wamid.2" }));
  await sql`update waiting_facts set received_at = now() - interval '1 hour' where company_id = ${own.id}`;
  await keep(sql, report("delivered", 1));
  assert.equal(await runJobs(sql, 1), 1);
  assert.equal((await facts(sql, send.message_id)).status, "delivered");
});

test("a reply that waits for a message is linked to the message when the message receives its id", async (sql) => {
  const reply = await addMessage(sql, {
    direction: "inbound",
    whatsapp_message_id: "wamid.2",
    reply_to_whatsapp_id: "wamid.1",
  });
  const send = await claimed(sql, own);
  await settle(sql, send.claim_id, SENT);
  const [{ reply_to_id }] = await sql`select reply_to_id from messages where id = ${reply}`;
  assert.equal(reply_to_id, send.message_id);
});

test("the job links a reply that was stored at the same time as the message that it replies to", async (sql) => {
  const answered = await addMessage(sql, {
    direction: "outbound",
    outcome: "accepted",
    whatsapp_message_id: "wamid.1",
  });
  const reply = await addMessage(sql, {
    direction: "inbound",
    whatsapp_message_id: "wamid.2",
    reply_to_whatsapp_id: "wamid.1",
  });
  await addMessage(sql, { direction: "inbound", reply_to_whatsapp_id: "wamid.unknown" });
  assert.equal(await runJob(sql), 1);
  const [{ reply_to_id }] = await sql`select reply_to_id from messages where id = ${reply}`;
  assert.equal(reply_to_id, answered);
  assert.equal(await runJob(sql), 0);
});

Deno.test("if another transaction has locked a send, the job leaves that send for its next run", async () => {
  const company = await newCompany();
  const send = await committed(async (sql) => {
    const send = await claimed(sql, company);
    await settle(sql, send.claim_id, SENT);
    return send;
  });
  await committed(async (holder) => {
    await holder`select from sends where id = ${send.send_id} for update`;
    await rolledBack(async (sql) => {
      await sql`set local lock_timeout = '5s'`;
      await sql`
        insert into waiting_facts (company_id, account_id, whatsapp_message_id, item)
        values (${company.id}, ${company.account_id}, 'wamid.1',
        ${sql.json(report("read", 1) as postgres.JSONValue)})
      `;
      await runJob(sql);
      assert.deepEqual(await waiting(sql, company.id), ["wamid.1"]);
    });
  });
});
