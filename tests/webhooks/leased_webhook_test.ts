import assert from "node:assert/strict";
import type { CompanyDb } from "../../supabase/functions/_shared/database/company_db.ts";
import { DeliveryDatabase } from "../../supabase/functions/webhooks/deliver/database.ts";
import { LeasedWebhook } from "../../supabase/functions/webhooks/deliver/leased_webhook.ts";

/** A delivery that the database read at this time. By default, the delivery is never too old. */
const delivery = (record_id: string, seq: number, readAt = Infinity) => ({
  ...{ webhook_id: "w", record_id, seq, attempts: 0 },
  event: { id: `evt_${seq}`, type: "deal.updated" },
  data: null,
  is_truncated: false,
  readAt,
});

Deno.test("a delivery that has waited for half a second is read again, so that it contains the record's current state", () => {
  const webhook = new LeasedWebhook("w", 20);
  const readAt = performance.now();
  webhook.add([delivery("a", 1, readAt), delivery("a", 2, readAt), delivery("b", 3, readAt)]);
  webhook.isDrained = true;
  assert.equal(webhook.begin(readAt + 499)!.seq, 1);
  assert.equal(webhook.begin(readAt + 501), null);
  assert.deepEqual([webhook.waiting, webhook.isDrained, webhook.isEmpty], [0, false, false]);
  assert.deepEqual(webhook.held(), ["a"]);
});

Deno.test("the half second before a delivery is read again begins when the database reads the record, not when the response arrives", async () => {
  const answer = {
    webhooks: [
      { id: "v", read_at: 1795907946.9, deliveries: [delivery("a", 1)] },
      { id: "w", read_at: 1795907947.4, deliveries: [delivery("b", 2)] },
    ],
    ended_at: 1795907947.5,
  };
  const rpc = () => Promise.resolve({ data: answer, error: null });
  const db = new DeliveryDatabase({ rpc } as unknown as CompanyDb, crypto.randomUUID());
  const asked = performance.now();
  const [older, newer] = await db.next({ v: 1, w: 1 }, {});
  const sent = ({ id, deliveries }: typeof older, at: number) => {
    const webhook = new LeasedWebhook(id, 20);
    webhook.add(deliveries);
    return webhook.begin(at)?.seq ?? null;
  };
  assert.equal(sent(older, performance.now()), null);
  assert.equal(sent(newer, asked), 2);
});

Deno.test("if the deliveries of a read are too old when they arrive, the webhook wants fewer deliveries in the next read", () => {
  const webhook = new LeasedWebhook("w", 20);
  const [stale, fresh] = [performance.now() - 600, performance.now() + 3_600_000];
  const wanted = (readAt: number) => {
    const count = webhook.wanted(webhook.free, 80);
    webhook.add(Array.from({ length: count }, (_, seq) => delivery(`${seq}`, seq, readAt)));
    webhook.forgetStale(Infinity);
    return count;
  };
  assert.deepEqual([stale, stale, stale, fresh, fresh, fresh].map(wanted), [4, 2, 1, 1, 2, 4]);
});

Deno.test("one record's deliveries are sent one at a time, and other records' deliveries do not wait for them", () => {
  const webhook = new LeasedWebhook("w", 20);
  const deliveries = [delivery("a", 1), delivery("a", 2), delivery("b", 3), delivery("b", 4)];
  webhook.add(deliveries);
  assert.deepEqual([webhook.begin()?.seq, webhook.begin()?.seq, webhook.begin()], [1, 3, null]);
  webhook.end(deliveries[0], true);
  assert.equal(webhook.begin()?.seq, 2);
});

Deno.test("a webhook wants only deliveries that can begin soon, so that each request contains the record's current state", () => {
  const webhookAfter = (responseMs: number) => {
    const webhook = new LeasedWebhook("w", 20);
    assert.equal(webhook.wanted(webhook.free, 80), 4);
    webhook.add([delivery("a", 1)]);
    const began = performance.now();
    webhook.end(webhook.begin(began)!, true, began + responseMs);
    return webhook;
  };
  assert.equal(webhookAfter(3_000).wanted(5, 80), 5);
  assert.equal(webhookAfter(500).wanted(5, 80), 7);
  assert.equal(webhookAfter(5).wanted(5, 80), 85);
  assert.equal(webhookAfter(5).wanted(0, 80), 0);
});
