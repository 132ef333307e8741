import assert from "node:assert/strict";
import { LeasedWebhook } from "../../supabase/functions/webhooks/deliver/leased_webhook.ts";
import { Sender } from "../../supabase/functions/webhooks/deliver/sender.ts";
import { readWebhooksConfig } from "../../supabase/functions/webhooks/webhooks_config.ts";
import { environment } from "../support/test_stack.ts";

const delivery = {
  ...{ webhook_id: "w", record_id: "r", seq: 1, attempts: 0 },
  event: { id: "evt_1", type: "deal.won" },
  data: null,
  is_truncated: false,
  readAt: Infinity,
};

Deno.test("a failed DNS lookup is repeated after two seconds, and a successful lookup after a minute", async () => {
  let addresses: string[] | null = null;
  const resolve = () => addresses ? Promise.resolve(addresses) : Promise.reject(new Error("no"));
  const config = await readWebhooksConfig(environment({}));
  const sender = new Sender({ ...config, addresses: { resolve } }, { requestId: "r" });
  const webhook = new LeasedWebhook("w", 20);
  webhook.url = "https://hooks.example.com/crm";
  const now = performance.now.bind(performance);
  const tries: [failure: string | null, lookUps: number][] = [];
  const sendAfter = async (seconds: number) => {
    performance.now = () => now() + seconds * 1000;
    const attempt = await sender.send(webhook, delivery);
    tries.push([attempt!.try.failure, sender.lookUps]);
  };
  try {
    await sendAfter(0);
    // Nothing is sent to a private address.
    addresses = ["10.0.0.1"];
    for (const seconds of [1, 3, 5, 50, 65]) await sendAfter(seconds);
  } finally {
    performance.now = now;
  }
  assert.deepEqual(tries, [
    ["dns", 1],
    ["dns", 1],
    ["refused_address", 2],
    ["refused_address", 2],
    ["refused_address", 2],
    ["refused_address", 3],
  ]);
});
