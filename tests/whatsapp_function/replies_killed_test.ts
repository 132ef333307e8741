// The function is killed at each step of a free reply. The same request is then repeated before and
// after the end of the lease.

import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { killedAt, type Step } from "../support/killed_sends.ts";
import { ownReplies } from "../support/own_functions.ts";
import { replyIn, writes } from "../support/replying.ts";
import { accepted, endLeases, ledgerOf, ownChannel } from "../support/sending.ts";

/**
 * How many times the channel had been called, and what a repeat gets immediately and after the end
 * of the lease.
 */
const STEPS: Record<Step, [calls: number, repeat: "new" | "pending" | "sent", later: string]> = {
  "before the claim": [0, "new", "sent"],
  "after the claim, before the call": [0, "pending", "failed"],
  "during the call": [1, "pending", "failed"],
  "after the call, before settling": [1, "pending", "failed"],
  "after settling, before the answer": [1, "sent", "sent"],
};

for (const [step, [calls, repeat, later]] of Object.entries(STEPS)) {
  Deno.test(`a function that is killed ${step} replies at most once, and a repeat gets the state of the reply`, async () => {
    const company = await newCompany();
    await writes(company);
    const json = replyIn(company, { idempotency_key: step });
    let onCall: () => Promise<void> = async () => {};
    await using channel = ownChannel(async () => {
      await onCall();
      return accepted();
    });
    await killedAt(step as Step, {
      ...{ name: "whatsapp", path: "/messages", claim: "claim_reply" },
      ...{ key: company.keys.messaging, json, channelUrl: channel.url },
      whenCalled: (kill) => onCall = kill,
    });
    onCall = async () => {};
    assert.equal(channel.calls.length, calls);

    const reply = await ownReplies(channel.url);
    const told = async () => {
      const { status, body } = await reply(company.keys.messaging, json);
      assert.equal(status, 200);
      return body.idempotent_hit ? body.status : "new";
    };
    assert.equal(await told(), repeat);
    await endLeases(company);
    assert.equal(await told(), later);
    assert.equal(channel.calls.length, repeat === "new" ? 1 : calls);
    const [{ state }, ...more] = await ledgerOf(company);
    assert.deepEqual([state, more], [later, []]);
  });
}
