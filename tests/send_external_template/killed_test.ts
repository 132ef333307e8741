// The tests kill the function at each step of a send. Then they repeat the request before and after
// the lease expires.

import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { killedAt, type Step } from "../support/killed_sends.ts";
import { ownSender } from "../support/own_functions.ts";
import {
  accepted,
  endLeases,
  ledgerOf,
  ownChannel,
  storedMessage,
  template,
} from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

interface Expected {
  /** The number of calls to the channel before the function is killed. */
  calls: number;
  /**
   * The status in the response to an immediate repeat. `new` means that the response is the same as
   * for a first send.
   */
  repeat: "new" | "pending" | "sent";
  /** The status in the response to a repeat after the lease has expired. */
  later: "sent" | "failed";
}

const STEPS: Record<Step, Expected> = {
  "before the claim": { calls: 0, repeat: "new", later: "sent" },
  "after the claim, before the call": { calls: 0, repeat: "pending", later: "failed" },
  "during the call": { calls: 1, repeat: "pending", later: "failed" },
  "after the call, before settling": { calls: 1, repeat: "pending", later: "failed" },
  "after settling, before the answer": { calls: 1, repeat: "sent", later: "sent" },
};

for (const [step, { calls, repeat, later }] of Object.entries(STEPS)) {
  Deno.test(`a function that is killed ${step} sends at most once, and a repeat returns the state of the send`, async () => {
    const company = await newCompany();
    const json = template(anyPhone(), { idempotency_key: `order-${step}` });
    let onCall: () => Promise<void> = async () => {};
    await using channel = ownChannel(async () => {
      await onCall();
      return accepted();
    });
    await killedAt(step as Step, {
      ...{ name: "send-external-template", claim: "claim_template_send" },
      ...{ key: company.keys.messaging, json, channelUrl: channel.url },
      whenCalled: (kill) => onCall = kill,
    });
    onCall = async () => {};
    assert.equal(channel.calls.length, calls);

    const send = await ownSender(channel.url);
    const first = await send(company.keys.messaging, json);
    assert.equal(first.status, 200);
    if (repeat === "new") {
      assert.deepEqual([first.body.success, first.body.idempotent_hit], [true, false]);
    } else {
      assert.deepEqual(first.body, {
        success: repeat === "sent",
        status: repeat,
        conversation_id: first.body.conversation_id,
        message_id: first.body.message_id,
        idempotent_hit: true,
      });
    }

    await endLeases(company);
    const second = await send(company.keys.messaging, json);
    assert.deepEqual(second.body, {
      success: later === "sent",
      status: later,
      conversation_id: first.body.conversation_id,
      message_id: first.body.message_id,
      idempotent_hit: true,
    });
    assert.equal(channel.calls.length, repeat === "new" ? 1 : calls);

    const [entry, ...more] = await ledgerOf(company);
    assert.deepEqual([entry.state, more], [later, []]);
    assert.equal(entry.reason, later === "failed" ? "outcome_unknown" : null);
    const message = await storedMessage(second.body.message_id);
    assert.deepEqual(
      [message.status, message.content],
      [later === "sent" ? "accepted" : later, json.display_text],
    );
    const count = await withDatabase(async (sql) => {
      const [row] = await sql`
        select
          (select count(*)::int from contacts where company_id = ${company.id} and phone = ${json.phone}) as contacts,
          (select count(*)::int from conversations join contacts on contacts.id = contact_id
            where contacts.company_id = ${company.id} and phone = ${json.phone}) as conversations,
          (select count(*)::int from messages where company_id = ${company.id}) as messages
      `;
      return row;
    });
    assert.deepEqual({ ...count }, { contacts: 1, conversations: 1, messages: 1 });
  });
}
