// The function is killed at each step of a send, and the same request is repeated before the lease ends and after.

import assert from "node:assert/strict";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { startFunction } from "../support/function_process.ts";
import { ownSender, watchedStack } from "../support/own_functions.ts";
import {
  accepted,
  endLeases,
  ledgerOf,
  ownChannel,
  storedMessage,
  template,
} from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";

type Step =
  | "before the claim"
  | "after the claim, before the call"
  | "during the call"
  | "after the call, before settling"
  | "after settling, before the answer";

interface Expected {
  /** How often the channel had been called when the function was killed. */
  calls: number;
  /** The status that a repeat is told at once; `new` stands for the answer of a first send. */
  repeat: "new" | "pending" | "sent";
  /** The status that a repeat is told after the lease has ended. */
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
  Deno.test(`a function killed ${step} has sent at most once, and a repeat is told the state`, async () => {
    const company = await newCompany();
    const json = template(anyPhone(), { idempotency_key: `order-${step}` });
    let onCall: () => Promise<void> = async () => {};
    await using channel = ownChannel(async () => {
      await onCall();
      return accepted();
    });
    await killedAt(step as Step, company, json, channel.url, (kill) => onCall = kill);
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

/** Makes a request to a function in its own process, which is killed at this step of the send. */
async function killedAt(
  step: Step,
  company: Company,
  json: unknown,
  channelUrl: string,
  whenCalled: (kill: () => Promise<void>) => void,
) {
  const started = Promise.withResolvers<() => Promise<void>>();
  const kill = async () => await (await started.promise)();
  if (step === "during the call") whenCalled(kill);
  const died = new Response(null, { status: 503 });
  await using database = watchedStack(async (request) => {
    const [, name] = /\/rpc\/(claim_template|settle)_send$/.exec(request.url) ?? [];
    const before = name === "claim_template"
      ? "before the claim"
      : "after the call, before settling";
    const after = name === "claim_template"
      ? "after the claim, before the call"
      : "after settling, before the answer";
    if (!name || (step !== before && step !== after)) return null;
    if (step === after) await (await database.forward(request)).body?.cancel();
    await kill();
    return died;
  });
  await using sender = await startFunction("send-external-template", {
    supabaseUrl: database.url,
    channelUrl,
  });
  started.resolve(sender.kill);
  await assert.rejects(fetch(sender.url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${company.keys.messaging}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(json),
  }));
}
