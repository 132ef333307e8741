// Tests what the settlement of a template send stores in the ledger (the table `sends`) and in the
// message, and when a settlement changes nothing.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import {
  actAs,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import {
  callSettle,
  type Claim,
  claim,
  endLease,
  FAILED,
  RELEASED,
  SENT,
  settle,
  standing,
} from "./sends.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

type Settlement = Record<string, unknown>;

const { id: company_id, keys, contact_id, conversation_id } = await newCompany();
const key = keys.messaging;

/** Claims a send, and returns the claim with the id that settles the send. */
async function claimed(sql: Sql, asked: Record<string, unknown> = {}): Promise<Claim> {
  const claim_id = crypto.randomUUID();
  return { claim_id, ...await claim(sql, key, { claim_id, ...asked }) };
}

/** Claims a send and ends its lease without an outcome. A repeat then marks the send as failed. */
async function expired(sql: Sql): Promise<Claim> {
  const asked = { phone: anyPhone(), idempotency_key: crypto.randomUUID() };
  const send = await claimed(sql, asked);
  await endLease(sql, send.send_id);
  assert.equal((await claim(sql, key, asked)).status, "failed");
  return send;
}

const AS_SENT = {
  ...{ state: "sent", reason: null, channel_code: null, id: "wamid.1" },
  ...{ message_status: "accepted", message_id: "wamid.1", moved: true },
};
const AS_FAILED = {
  ...{ state: "failed", reason: "template_rejected", channel_code: 132001, id: null },
  ...{ message_status: "failed", message_id: null, moved: false },
};
const RELEASE = { state: "released", reason: "channel_unavailable", channel_code: 4 };
const AS_RELEASED = { ...AS_FAILED, ...RELEASE };
const AS_UNANSWERED = { ...AS_RELEASED, reason: "claim_unanswered", channel_code: null };

Deno.test("settling a pending send stores the reported outcome in the send and its message", async () => {
  const ends: [Settlement, Record<string, unknown>][] = [
    [SENT, AS_SENT],
    [FAILED, AS_FAILED],
    [RELEASED, AS_RELEASED],
    [{ outcome: "released", reason: "claim_unanswered" }, AS_UNANSWERED],
  ];
  for (const [settlement, expected] of ends) {
    await rolledBack(async (sql) => {
      const { claim_id, send_id } = await claimed(sql);
      assert.equal(await settle(sql, claim_id, settlement), settlement.outcome);
      assert.deepEqual(await standing(sql, send_id), expected);
    });
  }
});

test("settling a send as sent sets its conversation's `last_message_at` to the message's time, and opens no window", async (sql) => {
  const [{ phone }] = await sql`select phone from contacts where id = ${contact_id}`;
  const times = async () => {
    const [row] = await sql`
      select last_message_at as last, window_expires_at as window, status from conversations
      where id = ${conversation_id}
    `;
    return { ...row };
  };
  const { claim_id, message_id } = await claimed(sql, { phone });
  const created_at = new Date("2026-03-01T10:00:00Z");
  await sql`update messages set created_at = ${created_at} where id = ${message_id}`;
  assert.deepEqual(await times(), { last: null, window: null, status: "open" });
  await settle(sql, claim_id, SENT);
  assert.deepEqual(await times(), { last: created_at, window: null, status: "open" });
});

Deno.test("an outcome that arrives after the lease has expired replaces the assumed failure, but does not release the send", async () => {
  const ends: [Settlement, Record<string, unknown>][] = [
    [SENT, AS_SENT],
    [FAILED, AS_FAILED],
    // The send is not released, because the API may already have reported that the send failed.
    [RELEASED, { ...AS_RELEASED, state: "failed" }],
  ];
  const unsettled = async (sql: Sql) => {
    const send = await claimed(sql);
    await endLease(sql, send.send_id);
    return send;
  };
  for (const [settlement, expected] of ends) {
    // The outcome arrives after or before a repeat has marked the send as failed.
    for (const late of [expired, unsettled]) {
      await rolledBack(async (sql) => {
        const { claim_id, send_id } = await late(sql);
        assert.equal(await settle(sql, claim_id, settlement), expected.state);
        assert.deepEqual(await standing(sql, send_id), expected);
        // The outcome is now known, so later outcomes change nothing.
        for (const later of [SENT, FAILED, RELEASED].filter((each) => each !== settlement)) {
          assert.equal(await settle(sql, claim_id, later), expected.state);
          assert.deepEqual(await standing(sql, send_id), expected);
        }
      });
    }
  }
});

Deno.test("a send with a known outcome keeps that outcome", async () => {
  for (const settlement of [SENT, FAILED, RELEASED]) {
    await rolledBack(async (sql) => {
      const { claim_id, send_id } = await claimed(sql);
      await settle(sql, claim_id, settlement);
      const before = await sql`select * from sends where id = ${send_id}`;
      const stood = await standing(sql, send_id);
      const later = [
        { outcome: "sent", whatsapp_message_id: "wamid.2" },
        { outcome: "failed", reason: "recipient_unreachable", channel_code: 131026 },
        { outcome: "failed", reason: "outcome_unknown" },
        { outcome: "released", reason: "channel_account_error", channel_code: 190 },
      ];
      for (const each of later) {
        assert.equal(await settle(sql, claim_id, each), settlement.outcome);
        assert.deepEqual(await standing(sql, send_id), stood);
      }
      const [{ double_sent_ids, ...after }] = await sql`select * from sends where id = ${send_id}`;
      assert.deepEqual({ ...after, double_sent_ids: [] }, { ...before[0] });
      // The channel created two messages from one call.
      assert.deepEqual(double_sent_ids, settlement === SENT ? ["wamid.2"] : []);
    });
  }
});

test("a settlement of an earlier attempt does not settle a later attempt", async (sql) => {
  const asked = { phone: anyPhone(), idempotency_key: "once" };
  const first = await claimed(sql, asked);
  await settle(sql, first.claim_id, RELEASED);
  const second = await claimed(sql, asked);
  assert.equal(second.send_id, first.send_id);
  for (const settlement of [SENT, FAILED, RELEASED]) {
    assert.equal(await settle(sql, first.claim_id, settlement), null);
    assert.equal((await standing(sql, first.send_id)).state, "pending");
  }
  await settle(sql, second.claim_id, SENT);
  assert.equal(await settle(sql, first.claim_id, FAILED), null);
  assert.deepEqual(await standing(sql, first.send_id), AS_SENT);
});

test("settling an unknown claim returns null and changes nothing", async (sql) => {
  const { send_id } = await claimed(sql);
  for (const claim_id of [crypto.randomUUID(), send_id, null]) {
    assert.equal(await settle(sql, claim_id, FAILED), null);
  }
  assert.equal((await standing(sql, send_id)).state, "pending");
});

test("an unknown or incomplete outcome is refused", async (sql) => {
  const { claim_id, send_id } = await claimed(sql);
  const refused: [Settlement, string][] = [
    ...["pending", "SENT", "unknown", "", null].map((outcome): [Settlement, string] => [
      { outcome, reason: "template_rejected" },
      "PT422",
    ]),
    [{ outcome: "sent" }, "23514 sends_id_when_sent"],
    [{ ...SENT, whatsapp_message_id: "" }, "23514 sends_whatsapp_message_id_check"],
    [{ ...SENT, reason: "outcome_unknown" }, "23514 sends_reason_when_not_sent"],
    [{ outcome: "failed" }, "23514 sends_reason_when_not_sent"],
    [{ outcome: "released" }, "23514 sends_reason_when_not_sent"],
    [{ ...FAILED, whatsapp_message_id: "wamid.1" }, "PT422"],
    [{ ...RELEASED, whatsapp_message_id: "wamid.1" }, "PT422"],
    [{ ...FAILED, reason: "x".repeat(65) }, "23514 sends_reason_check"],
  ];
  for (const [told, code] of refused) {
    const settling = (sql: Sql) => settle(sql, claim_id, told);
    assert.equal(await refusal(sql, settling), code, JSON.stringify(told));
  }
  assert.equal((await standing(sql, send_id)).state, "pending");
  // An unknown outcome is refused even if the claim is unknown too.
  const unknown = (sql: Sql) => settle(sql, null, { outcome: "lost" });
  assert.equal(await refusal(sql, unknown), "PT422");
});

Deno.test("a claim can be settled even if its API key has since been switched off, expired or deleted", async () => {
  const ends = [
    "update api_keys set is_active = false",
    "update api_keys set expires_at = now()",
    "delete from api_keys",
  ];
  for (const end of ends) {
    await rolledBack(async (sql) => {
      const { claim_id, send_id } = await claimed(sql);
      await sql.unsafe(`${end} where company_id = $1`, [company_id]);
      await actAs(sql, "api_client", { key_hash: await hashKey(key), scope: "messaging" });
      assert.equal(await callSettle(sql, { claim_id, ...SENT }), "sent");
      await actAsSuperuser(sql);
      assert.deepEqual(await standing(sql, send_id), AS_SENT);
    });
  }
});

Deno.test("a send can be settled as sent even if another message of the company already has the channel's id", async () => {
  const other = await newCompany();
  await rolledBack(async (sql) => {
    const say = async (company: { id: string; conversation_id: string }) => {
      await sql`
        insert into messages (company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
        values (${company.id}, ${company.conversation_id}, 'outbound', 'Hello', 'accepted', 'wamid.1')
      `;
    };
    // Another company's message may have the same id.
    await say(other);
    const first = await claimed(sql);
    await settle(sql, first.claim_id, SENT);
    assert.deepEqual(await standing(sql, first.send_id), AS_SENT);

    const second = await claimed(sql);
    assert.equal(await settle(sql, second.claim_id, SENT), "sent");
    assert.deepEqual(await standing(sql, second.send_id), { ...AS_SENT, message_id: null });
    assert.deepEqual(await standing(sql, first.send_id), AS_SENT);
  });
});
