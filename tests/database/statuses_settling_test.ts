// Tests how a report changes its send, for each state that the send can have.

import assert from "node:assert/strict";
import { rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { type Claim, claim, endLease, FAILED, RELEASED, SENT, settle } from "./sends.ts";
import { applyStatus, at, claimed, facts, failure, ledger, mark, report } from "./statuses.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const ONCE = { phone: anyPhone(), idempotency_key: "once" };

const ARRIVED = ["sent", "delivered", "read"];
const UNDELIVERABLE = failure(131026, "recipient_unreachable");

/** Applies a report with the callback data of a send. */
async function tell(sql: Sql, send: Claim, word: string, more: Record<string, unknown> = {}) {
  return await applyStatus(sql, [own.account_id], report(word, 1, { mark: mark(send), ...more }));
}

/** Whether a message has updated its conversation. */
async function hasMoved(sql: Sql, { message_id }: Claim): Promise<boolean> {
  const [{ moved }] = await sql`
    select last_message_at is not distinct from messages.created_at as moved
    from messages join conversations on conversations.id = conversation_id where messages.id = ${message_id}
  `;
  return moved;
}

/** A send whose lease expired without an outcome. */
async function expired(sql: Sql, asked: Record<string, unknown> = {}): Promise<Claim> {
  const send = await claimed(sql, own, asked);
  await endLease(sql, send.send_id);
  await sql`select fail_expired_sends()`;
  assert.deepEqual(await ledger(sql, send.send_id), { state: "failed", reason: "outcome_unknown" });
  return send;
}

/** Claims a send, and settles it as failed or released. */
async function settled(sql: Sql, settlement: Record<string, unknown>): Promise<Claim> {
  const send = await claimed(sql, own, ONCE);
  await settle(sql, send.claim_id, settlement);
  return send;
}

const UNSETTLED = { pending: claimed, outcome_unknown: (sql: Sql) => expired(sql) };

for (const [before, make] of Object.entries(UNSETTLED)) {
  Deno.test(`a send that is ${before} becomes sent, with the reported id, when a delivery report arrives`, async () => {
    for (const word of ARRIVED) {
      await rolledBack(async (sql) => {
        const send = await make(sql, own);
        assert.equal(await hasMoved(sql, send), false);
        assert.equal(await tell(sql, send, word), "done");
        assert.deepEqual(await ledger(sql, send.send_id), { state: "sent", id: "wamid.1" });
        assert.deepEqual(
          await facts(sql, send.message_id),
          { status: word, id: "wamid.1", [`${word}_at`]: at(1) },
        );
        assert.equal(await hasMoved(sql, send), true);
      });
    }
  });

  Deno.test(`a send that is ${before} becomes failed, with the reported id and reason, when a failure report arrives`, async () => {
    await rolledBack(async (sql) => {
      const send = await make(sql, own);
      assert.equal(await tell(sql, send, "failed"), "done");
      const entry = { state: "failed", reason: "recipient_unreachable", channel_code: 131026 };
      assert.deepEqual(await ledger(sql, send.send_id), { ...entry, id: "wamid.1" });
      const shown = { status: "failed", id: "wamid.1", failed_at: at(1), failure: UNDELIVERABLE };
      assert.deepEqual(await facts(sql, send.message_id), shown);
      assert.equal(await hasMoved(sql, send), false);

      // The send and the message show the same failure.
      await tell(sql, send, "failed", { at: at(0).toISOString(), failure: failure(131049) });
      const { reason, channel_code } = await ledger(sql, send.send_id);
      assert.deepEqual([reason, channel_code], ["channel_error", 131049]);
      assert.deepEqual((await facts(sql, send.message_id)).failure, failure(131049));
    });
  });
}

test("after a failure report, the message has the status failed, but its send keeps the state sent", async (sql) => {
  const send = await claimed(sql, own, ONCE);
  await settle(sql, send.claim_id, SENT);
  // This report has no callback data.
  assert.equal(await tell(sql, send, "failed", { mark: null }), "done");
  assert.deepEqual(await ledger(sql, send.send_id), { state: "sent", id: "wamid.1" });
  const { status, failure: shown } = await facts(sql, send.message_id);
  assert.deepEqual([status, shown], ["failed", UNDELIVERABLE]);
  const repeat = await claim(sql, own.keys.messaging, ONCE);
  assert.deepEqual([repeat.result, repeat.status], ["repeat", "sent"]);
});

Deno.test("a released send becomes sent when a report contains the callback data of the released attempt", async () => {
  for (const word of ARRIVED) {
    await rolledBack(async (sql) => {
      const send = await settled(sql, RELEASED);
      assert.equal(await tell(sql, send, word), "released_but_sent");
      assert.deepEqual(await ledger(sql, send.send_id), { state: "sent", id: "wamid.1" });
      assert.deepEqual(
        await facts(sql, send.message_id),
        { status: word, id: "wamid.1", [`${word}_at`]: at(1) },
      );
      assert.equal(await hasMoved(sql, send), true);
      assert.equal(await tell(sql, send, word), "done");
      // Therefore a repeat does not send the message again.
      const repeat = await claim(sql, own.keys.messaging, ONCE);
      assert.deepEqual([repeat.result, repeat.status], ["repeat", "sent"]);
    });
  }
});

test("a repeat does not resend a released send whose failure was reported", async (sql) => {
  const send = await settled(sql, RELEASED);
  assert.equal(await tell(sql, send, "failed"), "released_but_sent");
  const entry = { state: "failed", reason: "recipient_unreachable", channel_code: 131026 };
  assert.deepEqual(await ledger(sql, send.send_id), { ...entry, id: "wamid.1" });
  assert.deepEqual((await facts(sql, send.message_id)).failure, UNDELIVERABLE);
  const repeat = await claim(sql, own.keys.messaging, ONCE);
  assert.deepEqual([repeat.result, repeat.status], ["repeat", "failed"]);
});

Deno.test("a refused send becomes sent when a delivery report arrives", async () => {
  for (const word of ARRIVED) {
    await rolledBack(async (sql) => {
      const send = await settled(sql, FAILED);
      assert.equal(await tell(sql, send, word), "released_but_sent");
      assert.deepEqual(await ledger(sql, send.send_id), { state: "sent", id: "wamid.1" });
      const { status, failure } = await facts(sql, send.message_id);
      assert.deepEqual([status, failure], [word, undefined]);
    });
  }
});

test("a refused send remains failed when a failure report arrives, and adopts the report's reason", async (sql) => {
  const send = await settled(sql, FAILED);
  assert.equal(await tell(sql, send, "failed"), "done");
  assert.deepEqual(
    await ledger(sql, send.send_id),
    { state: "failed", reason: "recipient_unreachable", channel_code: 131026, id: "wamid.1" },
  );
});

test("the message of a released send that is claimed again contains no data from the previous attempt", async (sql) => {
  const send = await settled(sql, { ...RELEASED, channel_message: "Busy" });
  const { status, failure, failed_at } = await facts(sql, send.message_id);
  assert.equal(status, "failed");
  assert.deepEqual(
    failure,
    { reason: "channel_unavailable", code: 4, message: "Busy", details: null },
  );
  assert.ok(failed_at);
  await claimed(sql, own, ONCE);
  assert.deepEqual(await facts(sql, send.message_id), { status: "pending" });
});

Deno.test("a message shows why the channel refused it, even if the refusal arrives after the lease has expired", async () => {
  const told = { ...FAILED, channel_message: "(#132001) No template", channel_details: "welcome" };
  const shown = {
    reason: "template_rejected",
    code: 132001,
    message: "(#132001) No template",
    details: "welcome",
  };
  await rolledBack(async (sql) => {
    const unknown = await expired(sql);
    const { failure: guess } = await facts(sql, unknown.message_id);
    assert.deepEqual(
      guess,
      { reason: "outcome_unknown", code: null, message: null, details: null },
    );
    for (const send of [unknown, await claimed(sql, own)]) {
      await settle(sql, send.claim_id, told);
      const { status, failure, failed_at } = await facts(sql, send.message_id);
      assert.deepEqual([status, failure], ["failed", shown]);
      assert.ok(failed_at);
      // A later response does not change the failure.
      await settle(sql, send.claim_id, { ...told, channel_message: "Other" });
      assert.deepEqual((await facts(sql, send.message_id)).failure, shown);
    }
  });
});

test("several reports about one message change its conversation only once", async (sql) => {
  const send = await claimed(sql, own);
  await tell(sql, send, "delivered");
  const versions = () =>
    sql`select ctid::text from conversations where id = ${send.conversation_id}`;
  const before = await versions();
  await settle(sql, send.claim_id, SENT);
  for (const word of ["failed", "sent", "read"]) await tell(sql, send, word);
  assert.deepEqual(await versions(), before);
});
