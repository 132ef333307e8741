// Tests the responses to callers after a channel error, and the state of the send before and after
// a repeat.

import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import {
  endLeases,
  ledgerOf,
  sendTemplate,
  storedMessage,
  takenFrom,
  template,
} from "../support/sending.ts";

interface Row {
  codes: number[];
  status: number;
  code: string;
  state: "failed" | "released" | "pending";
  outcome?: "not_sent" | "unknown";
  retryAfter?: string;
}

// outcome_test.ts tests the meaning of each code.
const TABLE: Row[] = [
  { codes: [132000, 999999], status: 422, code: "template_rejected", state: "failed" },
  { codes: [131026], status: 422, code: "recipient_unreachable", state: "failed" },
  { codes: [131050], status: 422, code: "recipient_opted_out", state: "failed" },
  {
    ...{ codes: [4, 130429], status: 502, code: "channel_unavailable" },
    ...{ state: "released", outcome: "not_sent" },
  },
  {
    ...{ codes: [131056], status: 502, code: "channel_unavailable" },
    ...{ state: "released", outcome: "not_sent", retryAfter: "6" },
  },
  { codes: [0, 190], status: 500, code: "channel_account_error", state: "released" },
  {
    ...{ codes: [1], status: 502, code: "channel_unavailable" },
    ...{ state: "pending", outcome: "unknown" },
  },
];

for (const { codes, status, code, state, outcome, retryAfter } of TABLE) {
  Deno.test(`if the channel returns ${codes.join(" or ")}, the error is ${code}, and the send is ${state}`, async () => {
    const company = await newCompany();
    const key = company.keys.messaging;
    await Promise.all(codes.map(async (channelCode) => {
      const json = template(`+15550${String(channelCode).padStart(6, "0")}`, {
        idempotency_key: `code ${channelCode}`,
      });
      const refused = async () => {
        const answer = await sendTemplate(key, json);
        const { success, error, request_id, channel } = answer.body;
        assert.deepEqual(
          [answer.status, success, answer.body.code, answer.body.outcome],
          [status, false, code, outcome],
          `${channelCode}: ${JSON.stringify(answer.body)}`,
        );
        assert.equal(answer.headers.get("Retry-After"), retryAfter ?? null);
        assert.ok(error && request_id === answer.headers.get("X-Request-Id"));
        if (status === 422) {
          assert.equal(channel.code, channelCode);
          assert.match(channel.message, new RegExp(`^\\(#${channelCode}\\) `));
        }
        const ledger = await ledgerOf(company);
        return ledger.find(({ idempotency_key }) => idempotency_key === json.idempotency_key)!;
      };
      const repeated = async (status: "pending" | "failed") => {
        const { body } = await sendTemplate(key, json);
        assert.deepEqual(
          [body.success, body.status, body.message_id, body.idempotent_hit],
          [false, status, entry.message_id, true],
        );
      };

      const entry = await refused();
      assert.equal(entry.state, state);
      const shown = { failed: "failed", released: "failed", pending: "pending" }[state];
      assert.equal((await storedMessage(entry.message_id)).status, shown);
      if (state !== "pending") {
        assert.deepEqual([entry.reason, entry.channel_code], [code, channelCode]);
      }
      if (state === "released") {
        const again = await refused();
        assert.deepEqual(
          [again.id, again.message_id, again.state],
          [entry.id, entry.message_id, "released"],
        );
      } else {
        await repeated(state);
      }
      if (state === "pending") {
        await endLeases(company);
        await repeated("failed");
      }
    }));
    assert.equal((await ledgerOf(company)).length, codes.length);
    assert.deepEqual(await takenFrom(company), []);
  });
}

Deno.test("a repeat of a throttled send sends the message, and the response looks like the response to a first send", async () => {
  const company = await newCompany();
  const json = template("+15551000001", { idempotency_key: "throttled" });
  for (const _ of [1, 2]) {
    const { status, body } = await sendTemplate(company.keys.messaging, json);
    assert.deepEqual([status, body.outcome], [502, "not_sent"]);
  }
  const [{ message_id }] = await ledgerOf(company);
  const { status, body } = await sendTemplate(company.keys.messaging, json);
  assert.deepEqual([status, body], [200, {
    success: true,
    conversation_id: body.conversation_id,
    message_id,
    whatsapp_message_id: (await takenFrom(company))[0].id,
    created_conversation: true,
    idempotent_hit: false,
  }]);
  assert.equal((await storedMessage(message_id)).status, "accepted");
  assert.equal((await sendTemplate(company.keys.messaging, json)).body.status, "sent");
  assert.equal((await takenFrom(company)).length, 1);
});

const MAY_HAVE_GONE = {
  "a broken connection": "+15551000005",
  "a 500 without an error code": "+15551000006",
  "a 200 without an id": "+15551000007",
};

for (const [what, phone] of Object.entries(MAY_HAVE_GONE)) {
  Deno.test(`after ${what}, the outcome is unknown, nothing is sent again, and the send fails when its lease expires`, async () => {
    const company = await newCompany();
    const json = template(phone, { idempotency_key: "once" });
    const send = () => sendTemplate(company.keys.messaging, json);
    const first = await send();
    assert.deepEqual(
      [first.status, first.body.code, first.body.outcome],
      [502, "channel_unavailable", "unknown"],
    );
    assert.match(first.body.error, /same idempotency_key/);
    assert.equal((await send()).body.status, "pending");
    await endLeases(company);
    assert.equal((await send()).body.status, "failed");
    assert.equal((await send()).body.status, "failed");
    assert.equal((await takenFrom(company)).length, 1);
    assert.equal((await ledgerOf(company))[0].reason, "outcome_unknown");
  });
}

Deno.test("if a send without an idempotency key has an unknown outcome, the error warns against a repeat", async () => {
  const company = await newCompany();
  const { body } = await sendTemplate(company.keys.messaging, template("+15551000006"));
  assert.match(body.error, /A repeat could send the message twice/);
});
