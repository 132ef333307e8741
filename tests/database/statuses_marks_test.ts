// A report identifies its send by the channel's message id, or else by the callback data that the
// service gave to the channel with the send.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { connectAccount, disconnectAccount, newCompany } from "../support/company.ts";
import { type Claim, RELEASED, settle } from "./sends.ts";
import {
  accepted,
  applyStatus,
  claimed,
  facts,
  ledger,
  mark,
  report,
  waiting,
} from "./statuses.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();

/** Applies a report with the callback data of a send. */
async function tell(sql: Sql, send: Claim, word: string, more: Record<string, unknown> = {}) {
  return await applyStatus(sql, [own.account_id], report(word, 1, { mark: mark(send), ...more }));
}

/** Claims a send and settles it. */
async function settled(sql: Sql, settlement: Record<string, unknown>): Promise<Claim> {
  const send = await claimed(sql, own, { idempotency_key: "once" });
  await settle(sql, send.claim_id, settlement);
  return send;
}

Deno.test("if an attempt receives a second id, that id is also stored, and reports with the second id do not change the message", async () => {
  for (const word of ["sent", "delivered", "read", "failed"]) {
    await rolledBack(async (sql) => {
      const send = await accepted(sql, own);
      await tell(sql, send, "sent");
      const before = await facts(sql, send.message_id);
      for (const id of ["wamid.3", "wamid.2", "wamid.3"]) {
        assert.equal(await tell(sql, send, word, { id }), "double_send");
      }
      const doubles = ["wamid.2", "wamid.3"];
      assert.deepEqual(await ledger(sql, send.send_id), { state: "sent", id: "wamid.1", doubles });
      assert.deepEqual(await facts(sql, send.message_id), before);
      // The reports with these ids are stored and wait.
      assert.deepEqual(await waiting(sql, own.id), doubles);
    });
  }
});

test("a response whose id differs from the id in the reports counts as a double send", async (sql) => {
  const send = await claimed(sql, own);
  await tell(sql, send, "delivered");
  const answer = { outcome: "sent", whatsapp_message_id: "wamid.2" };
  for (let times = 0; times < 2; times++) {
    assert.equal(await settle(sql, send.claim_id, answer), "sent");
    assert.deepEqual(
      await ledger(sql, send.send_id),
      { state: "sent", id: "wamid.1", doubles: ["wamid.2"] },
    );
  }
  assert.equal((await facts(sql, send.message_id)).status, "delivered");
});

test("a report with the callback data of an earlier attempt does not settle the current attempt", async (sql) => {
  const asked = { idempotency_key: "once" };
  const first = await settled(sql, RELEASED);
  const second = await claimed(sql, own, asked);
  assert.equal(second.send_id, first.send_id);
  assert.equal(await tell(sql, first, "delivered"), "released_but_sent");
  assert.deepEqual(await ledger(sql, first.send_id), { state: "pending" });
  assert.deepEqual(await facts(sql, first.message_id), { status: "pending" });
  assert.deepEqual(await waiting(sql, own.id), ["wamid.1"]);

  await tell(sql, second, "delivered", { id: "wamid.2", mark: mark(second, 2) });
  assert.deepEqual(await ledger(sql, first.send_id), { state: "sent", id: "wamid.2" });
  assert.equal(await tell(sql, first, "read"), "released_but_sent");
  assert.equal((await facts(sql, first.message_id)).status, "delivered");
  for (const attempt of [3, 0, -1, 1e12, "x", null]) {
    const never = { send_id: first.send_id, attempt };
    assert.equal(await tell(sql, first, "read", { id: "wamid.3", mark: never }), "waiting");
  }
  assert.deepEqual(await ledger(sql, first.send_id), { state: "sent", id: "wamid.2" });
});

test("a report's callback data identifies a send only if the report and the send belong to the same number of the same company", async (sql) => {
  const send = await claimed(sql, own);
  const theirs = await claimed(sql, other);
  const second = await connectAccount(sql, own.id);
  const item = report("delivered", 1, { mark: mark(send) });
  // Another account of the company, and an account of another company.
  assert.equal(await applyStatus(sql, [second.id], item), "waiting");
  assert.equal(await applyStatus(sql, [other.account_id], item), "waiting");
  assert.equal(await tell(sql, theirs, "delivered"), "waiting");
  const malformed = ["", "x", `${send.send_id}x`, null, 1, {}];
  for (const send_id of malformed) {
    const wrong = report("delivered", 1, { mark: { send_id, attempt: 1 } });
    assert.equal(await applyStatus(sql, [own.account_id], wrong), "waiting");
  }
  for (const { send_id } of [send, theirs]) {
    assert.deepEqual(await ledger(sql, send_id), { state: "pending" });
  }
});

test("a report settles a company's send even if the number now belongs to another company", async (sql) => {
  const { id, phone_number_id } = await connectAccount(sql, own.id);
  const send = await claimed(sql, own, { phone_number_id });
  await disconnectAccount(sql, id);
  const now = await connectAccount(sql, other.id, { phone_number_id });
  const item = report("delivered", 1, { mark: mark(send) });
  assert.equal(await applyStatus(sql, [now.id], item), "waiting");
  assert.equal(await applyStatus(sql, [now.id, id], item), "done");
  assert.deepEqual(await ledger(sql, send.send_id), { state: "sent", id: "wamid.1" });
  assert.deepEqual(await waiting(sql, own.id), []);
});

test("if a report's callback data and id belong to different messages, the callback data identifies the send and the id identifies the message", async (sql) => {
  const [{ id }] = await sql`
    insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
    values (${own.id}, ${own.conversation_id}, 'outbound', 'Hello', 'accepted', 'wamid.1') returning id
  `;
  const send = await claimed(sql, own);
  for (let times = 0; times < 2; times++) {
    assert.equal(await tell(sql, send, "delivered"), "done");
    assert.deepEqual(await ledger(sql, send.send_id), { state: "sent", id: "wamid.1" });
    assert.deepEqual(await facts(sql, send.message_id), { status: "accepted" });
    assert.equal((await facts(sql, id)).status, "delivered");
  }
});
