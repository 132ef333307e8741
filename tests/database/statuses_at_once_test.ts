// Reports that meet the answer of the call, a repeat or one another, and many reports in one transaction.

import assert from "node:assert/strict";
import type postgres from "postgres";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { snapshot } from "../support/snapshot.ts";
import { atOnce, committed, overlapping } from "./connections.ts";
import { claim, endLease, FAILED, RELEASED, SENT, settle } from "./sends.ts";
import {
  accepted,
  applyStatus,
  at,
  claimed,
  facts,
  ledger,
  mark,
  report,
  waiting,
} from "./statuses.ts";

type Sql = postgres.TransactionSql;

/** A new company with a claimed send, both committed. */
async function newSend(asked: Record<string, unknown> = {}) {
  const company = await newCompany();
  const send = await committed((sql) => claimed(sql, company, asked));
  const tell = (word: string, more: Record<string, unknown> = { mark: mark(send) }) => (sql: Sql) =>
    applyStatus(sql, [company.account_id], report(word, 1, more));
  const end = () =>
    committed(async (sql) =>
      [
        await ledger(sql, send.send_id),
        await facts(sql, send.message_id),
        await waiting(sql, company.id),
      ] as const
    );
  return { company, send, tell, end };
}

const DELIVERED = [
  { state: "sent", id: "wamid.1" },
  { status: "delivered", id: "wamid.1", delivered_at: at(1) },
  [],
];

Deno.test("a report that meets the answer of its own call waits for it, and the answer for the report", async () => {
  const answers = await newSend();
  const [answer, result] = await overlapping(
    (sql) => settle(sql, answers.send.claim_id, SENT),
    answers.tell("delivered"),
  );
  assert.deepEqual([answer, result], ["sent", "done"]);
  assert.deepEqual(await answers.end(), DELIVERED);

  const reports = await newSend();
  const [first, second] = await overlapping(
    reports.tell("delivered"),
    (sql) => settle(sql, reports.send.claim_id, SENT),
  );
  assert.deepEqual([first, second], ["done", "sent"]);
  assert.deepEqual(await reports.end(), DELIVERED);
});

Deno.test("a refusal or a release that meets a report that it arrived changes nothing", async () => {
  for (const settlement of [FAILED, RELEASED]) {
    const { send, tell, end } = await newSend();
    const [result, state] = await overlapping(
      tell("delivered"),
      (sql) => settle(sql, send.claim_id, settlement),
    );
    assert.deepEqual([result, state], ["done", "sent"]);
    assert.deepEqual(await end(), DELIVERED);
  }
});

Deno.test("a report whose transaction is undone leaves the send to the answer of the call", async () => {
  const { send, tell, end } = await newSend();
  await overlapping(tell("failed"), (sql) => settle(sql, send.claim_id, SENT), { undone: true });
  assert.deepEqual(await end(), [
    { state: "sent", id: "wamid.1" },
    { status: "accepted", id: "wamid.1" },
    [],
  ]);
});

Deno.test("a report without a mark and the answer do not see each other, and the job brings them together", async () => {
  for (const isAnswerFirst of [true, false]) {
    const { company, send, tell, end } = await newSend();
    const answer = (sql: Sql) => settle(sql, send.claim_id, SENT);
    const reported = tell("delivered", {});
    await (isAnswerFirst ? overlapping(answer, reported) : overlapping(reported, answer));
    assert.deepEqual(await end(), [
      { state: "sent", id: "wamid.1" },
      { status: "accepted", id: "wamid.1" },
      ["wamid.1"],
    ]);
    await committed((sql) => sql`select app.apply_waiting_facts(1000)`);
    assert.deepEqual(await end(), DELIVERED);
    assert.deepEqual(await committed((sql) => waiting(sql, company.id)), []);
  }
});

Deno.test("a repeat of a released send and a report of its first attempt: whoever is first decides", async () => {
  const asked = { idempotency_key: "once" };
  const repeats = await newSend(asked);
  await committed((sql) => settle(sql, repeats.send.claim_id, RELEASED));
  const [again, late] = await overlapping(
    (sql) => claim(sql, repeats.company.keys.messaging, asked),
    repeats.tell("delivered"),
  );
  assert.deepEqual([again.result, late], ["claimed", "released_but_sent"]);
  assert.deepEqual(await repeats.end(), [{ state: "pending" }, { status: "pending" }, ["wamid.1"]]);

  const reports = await newSend(asked);
  await committed((sql) => settle(sql, reports.send.claim_id, RELEASED));
  const [result, repeat] = await overlapping(
    reports.tell("delivered"),
    (sql) => claim(sql, reports.company.keys.messaging, asked),
  );
  assert.deepEqual([result, repeat.result, repeat.status], ["released_but_sent", "repeat", "sent"]);
  assert.deepEqual(await reports.end(), DELIVERED);
});

Deno.test("a report that meets the end of the lease settles the send", async () => {
  for (const isLeaseFirst of [true, false]) {
    const { send, tell, end } = await newSend();
    await committed((sql) => endLease(sql, send.send_id));
    const expire = (sql: Sql) => sql`select fail_expired_sends()`;
    const reported = tell("delivered");
    await (isLeaseFirst ? overlapping(expire, reported) : overlapping(reported, expire));
    assert.deepEqual(await end(), DELIVERED);
  }
});

Deno.test("reports of one message in several transactions all fill their slots", async () => {
  const { tell, end } = await newSend();
  const words = ["sent", "delivered", "read", "failed", "sent", "read"];
  const results = await atOnce(words.length, (sql, i) => tell(words[i])(sql));
  assert.deepEqual(results, words.map(() => "done"));
  const [entry, { status, sent_at, delivered_at, read_at, failed_at }] = await end();
  assert.deepEqual(entry, { state: "sent", id: "wamid.1" });
  assert.equal(status, "read");
  assert.deepEqual([sent_at, delivered_at, read_at, failed_at], words.slice(0, 4).map(() => at(1)));
});

Deno.test("1,000 reports are applied in one transaction, and no other company's row moves", async () => {
  const own = await newCompany();
  const other = await newCompany();
  await committed((sql) => accepted(sql, other, "wamid.1"));
  const theirs = await snapshot(other.id);
  await rolledBack(async (sql) => {
    await sql`
      with written as (
        insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
        select ${own.id}, ${own.conversation_id}, 'outbound', 'Hello', 'accepted', 'wamid.' || n
        from generate_series(1, 900) as n
        returning id, whatsapp_message_id
      )
      insert into sends (
        company_id, message_id, template_name, language_code, claim_id, state, whatsapp_message_id
      )
      select ${own.id}, id, 'order_update', 'pt_BR', gen_random_uuid(), 'sent', whatsapp_message_id from written
    `;
    const item = report("delivered", 1) as Record<string, postgres.JSONValue>;
    const results = await sql`
      select app.apply_status(
        array[${own.account_id}]::uuid[], ${
      sql.json(item)
    } || jsonb_build_object('id', 'wamid.' || n)
      ) as result, count(*)::int
      from generate_series(1, 1000) as n group by 1 order by 1
    `;
    assert.deepEqual([...results], [
      { result: "done", count: 900 },
      { result: "waiting", count: 100 },
    ]);
    const [counts] = await sql`
      select count(*)::int as messages, count(distinct (status, delivered_at))::int as ends, min(status) as status
      from messages where company_id = ${own.id}
    `;
    assert.deepEqual({ ...counts }, { messages: 900, ends: 1, status: "delivered" });
    assert.equal((await waiting(sql, own.id)).length, 100);
    // Read in the transaction, so that what it changed elsewhere would show.
    const [{ statuses }] = await sql`
      select array_agg(status) as statuses from messages where company_id = ${other.id}
    `;
    assert.deepEqual(statuses, ["accepted"]);
  });
  assert.deepEqual(await snapshot(other.id), theirs);
});
