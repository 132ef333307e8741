// Tests reports that arrive at the same time as the channel's response to the send, a repeat or
// other reports. Also tests many reports in one transaction.

import assert from "node:assert/strict";
import type { Sql } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { until } from "../support/started.ts";
import { atOnce, committed, overlapping } from "./connections.ts";
import { claim, endLease, FAILED, RELEASED, SENT, settle } from "./sends.ts";
import { applyStatus, at, claimed, facts, ledger, mark, report, waiting } from "./statuses.ts";

/** Commits a new company with a claimed send. */
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

Deno.test("a report waits while its send is being settled, and a settlement waits while a report is applied", async () => {
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

Deno.test("a delivery report wins over a refusal or release that waits for the report's transaction", async () => {
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

Deno.test("if a report's transaction is rolled back, the channel's response settles the send", async () => {
  const { send, tell, end } = await newSend();
  await overlapping(tell("failed"), (sql) => settle(sql, send.claim_id, SENT), { undone: true });
  assert.deepEqual(
    await end(),
    [{ state: "sent", id: "wamid.1" }, { status: "accepted", id: "wamid.1" }, []],
  );
});

Deno.test("if a report without callback data and the channel's response are stored at the same time, the job applies the report later", async () => {
  for (const isAnswerFirst of [true, false]) {
    const { company, send, tell, end } = await newSend();
    const answer = (sql: Sql) => settle(sql, send.claim_id, SENT);
    const reported = tell("delivered", {});
    await (isAnswerFirst ? overlapping(answer, reported) : overlapping(reported, answer));
    const [entry, message, waits] = await end();
    // A run of another test's job may already have applied the report.
    if (waits.length > 0) {
      assert.deepEqual(
        [entry, message, waits],
        [{ state: "sent", id: "wamid.1" }, { status: "accepted", id: "wamid.1" }, ["wamid.1"]],
      );
    }
    // The job skips the send while another test's run of the job has locked the send.
    await until(async () => {
      await committed((sql) => sql`select app.apply_waiting_facts(1000)`);
      return (await committed((sql) => waiting(sql, company.id))).length === 0;
    });
    assert.deepEqual(await end(), DELIVERED);
  }
});

Deno.test("a repeat claims a released send again, unless a report about the earlier attempt has arrived", async () => {
  const asked = { phone: anyPhone(), idempotency_key: "once" };
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

Deno.test("a report settles a send even while the job ends the send's lease", async () => {
  for (const isLeaseFirst of [true, false]) {
    const { send, tell, end } = await newSend();
    await committed((sql) => endLease(sql, send.send_id));
    const expire = (sql: Sql) => sql`select fail_expired_sends()`;
    const reported = tell("delivered");
    await (isLeaseFirst ? overlapping(expire, reported) : overlapping(reported, expire));
    assert.deepEqual(await end(), DELIVERED);
  }
});

Deno.test("simultaneous reports about one message are all recorded", async () => {
  const { tell, end } = await newSend();
  const words = ["sent", "delivered", "read", "failed", "sent", "read"];
  const results = await atOnce(words.length, (sql, i) => tell(words[i])(sql));
  assert.deepEqual(results, words.map(() => "done"));
  const [entry, { status, sent_at, delivered_at, read_at, failed_at }] = await end();
  assert.deepEqual(entry, { state: "sent", id: "wamid.1" });
  assert.equal(status, "read");
  assert.deepEqual([sent_at, delivered_at, read_at, failed_at], words.slice(0, 4).map(() => at(1)));
});
