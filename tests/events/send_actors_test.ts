// Tests that the events about the outcome of a send name the API key that requested the send, as
// their actor. The claim and the settlement are two transactions, as in a request.

import assert from "node:assert/strict";
import { hashKey } from "../../supabase/functions/_shared/key/presented_key.ts";
import { actAs, actAsSuperuser } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { eventsIn } from "../support/events.ts";
import { committed } from "../database/connections.ts";
import { anyMessageId } from "../database/inbound.ts";
import { callSettle, endLease, SENT } from "../database/sends.ts";
import { claimed } from "../database/statuses.ts";

const company = await newCompany();
const key_hash = await hashKey(company.keys.messaging);
const [{ id: key }] = await committed((sql) =>
  sql`select id from api_keys where key_hash = ${key_hash}`
);
const BY_KEY = { kind: "key", id: key };

/** Settles a claim with the token of the key. Returns each event with its actor. */
const actorsOf = (claim_id: string, settlement: Record<string, unknown>) =>
  committed(async (sql) => {
    const events = await eventsIn(sql, company, async () => {
      await actAs(sql, "api_client", { key_hash, scope: "messaging" });
      await callSettle(sql, { claim_id, ...settlement });
      await actAsSuperuser(sql);
    });
    return events.map(({ type, actor }) => [type, actor]);
  });

const sent = () => ({ ...SENT, whatsapp_message_id: anyMessageId() });
const AS_SENT = [["send.settled", BY_KEY], ["message.status_changed", BY_KEY]];
const OPTED_OUT = { outcome: "failed", reason: "recipient_opted_out", channel_code: 131050 };

Deno.test("each event about a send's outcome names the key that requested the send", async () => {
  const accepted = await committed((sql) => claimed(sql, company));
  assert.deepEqual(await actorsOf(accepted.claim_id, sent()), AS_SENT);
  const late = await committed((sql) => claimed(sql, company));
  await committed((sql) => endLease(sql, late.send_id));
  await committed((sql) => sql`select fail_expired_sends()`);
  assert.deepEqual(await actorsOf(late.claim_id, sent()), AS_SENT);
  const refused = await committed((sql) => claimed(sql, company));
  assert.deepEqual(await actorsOf(refused.claim_id, OPTED_OUT), [
    ["send.failed", BY_KEY],
    ["message.status_changed", BY_KEY],
    ["contact.opted_out", BY_KEY],
  ]);
});

Deno.test("the events about a send's outcome name its key even if the key was switched off after the claim", async () => {
  const { claim_id } = await committed((sql) => claimed(sql, company));
  const setActive = (is_active: boolean) =>
    committed((sql) => sql`update api_keys set is_active = ${is_active} where id = ${key}`);
  await setActive(false);
  try {
    assert.deepEqual(await actorsOf(claim_id, sent()), AS_SENT);
  } finally {
    await setActive(true);
  }
});
