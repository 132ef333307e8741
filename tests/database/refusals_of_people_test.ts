// What a refusal of the channel, as the answer to a call, says of the person.

import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { claimReply, personWrites } from "./replies.ts";
import { claim, settle, standing } from "./sends.ts";

const company = await newCompany();
const { contact_id, conversation_id, keys } = company;
const key = keys.messaging;

Deno.test("131047 as the answer to a reply closes the window at once, and the person's next message opens it", async () => {
  await rolledBack(async (sql) => {
    await personWrites(sql, company, 60);
    const claim_id = crypto.randomUUID();
    const { send_id } = await claimReply(sql, key, { conversation_id, claim_id });
    await settle(sql, claim_id, {
      outcome: "failed",
      reason: "window_closed",
      channel_code: 131047,
    });
    const { state, message_status } = await standing(sql, send_id);
    assert.deepEqual([state, message_status], ["failed", "failed"]);
    const closed = await claimReply(sql, key, { conversation_id });
    assert.equal(closed.result, "window_closed");
    const [shown] = await sql`
      select to_jsonb(window_expires_at) as at, window_expires_at <= now() as is_over
      from conversations where id = ${conversation_id}
    `;
    assert.deepEqual([shown.at, shown.is_over], [closed.expires_at, true]);
    // Later than the reply, which was claimed in this transaction.
    await sql`update contact_windows set closed_at = closed_at - interval '1 minute'`;
    await personWrites(sql, company, 0);
    assert.equal((await claimReply(sql, key, { conversation_id })).result, "claimed");
  });
});

Deno.test("131047 does not close a window that the person renewed during the call", async () => {
  await rolledBack(async (sql) => {
    await personWrites(sql, company, 60);
    const claim_id = crypto.randomUUID();
    const { message_id } = await claimReply(sql, key, { conversation_id, claim_id });
    // The call began a while ago.
    await sql`
      update messages set created_at = now() - interval '10 seconds' where id = ${message_id}
    `;
    await personWrites(sql, company, 5);
    await settle(sql, claim_id, {
      outcome: "failed",
      reason: "window_closed",
      channel_code: 131047,
    });
    assert.equal((await claimReply(sql, key, { conversation_id })).result, "claimed");
  });
});

Deno.test("131050 as the answer to a send opts the contact out of marketing", async () => {
  await rolledBack(async (sql) => {
    const claim_id = crypto.randomUUID();
    const [contact] = await sql`select phone from contacts where id = ${contact_id}`;
    await claim(sql, key, { claim_id, phone: contact.phone });
    const settlement = { outcome: "failed", reason: "recipient_opted_out", channel_code: 131050 };
    await settle(sql, claim_id, settlement);
    const [after] = await sql`
      select marketing_opt_out_at = now() as is_out, marketing_stop_source as source
      from contacts where id = ${contact_id}
    `;
    assert.deepEqual({ ...after }, { is_out: true, source: "status" });
  });
});
