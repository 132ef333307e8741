import assert from "node:assert/strict";
import type { Delivery } from "../../supabase/functions/webhooks/deliver/delivery.ts";
import { LeasedWebhook } from "../../supabase/functions/webhooks/deliver/leased_webhook.ts";
import { givePlaces } from "../../supabase/functions/webhooks/deliver/places.ts";

/** The number of a run's places for requests in flight, and the number that one webhook may use. */
const [PLACES, OF_ONE] = [60, 20];
let seq = 0;

/** A delivery of a record that no other delivery has. */
const delivery = (): Delivery => ({
  ...{ webhook_id: "w", record_id: crypto.randomUUID(), seq: seq++, attempts: 0 },
  event: { id: "evt_1", type: "deal.updated" },
  data: null,
  is_truncated: false,
  readAt: Infinity, // never too old
});

/**
 * A webhook with this many waiting deliveries. By default, so many earlier requests have succeeded
 * that the webhook may use `OF_ONE` places.
 */
function webhookOf(companyId: string, waiting: number, { isProven = true } = {}): LeasedWebhook {
  const webhook = new LeasedWebhook(crypto.randomUUID(), OF_ONE);
  webhook.companyId = companyId;
  if (isProven) {
    webhook.add(Array.from({ length: OF_ONE }, delivery));
    for (let begun; (begun = webhook.begin());) {
      webhook.end(begun, true);
      webhook.settled(begun.record_id);
    }
  }
  webhook.add(Array.from({ length: waiting }, delivery));
  return webhook;
}

/**
 * Gives the free places to webhooks. Returns the webhook and the delivery that got each place, in
 * order.
 */
function begun(webhooks: LeasedWebhook[]): { webhook: LeasedWebhook; delivery: Delivery }[] {
  const given: { webhook: LeasedWebhook; delivery: Delivery }[] = [];
  givePlaces(webhooks, PLACES, (webhook) => {
    const delivery = webhook.begin();
    if (delivery) given.push({ webhook, delivery });
    return delivery !== null;
  });
  return given;
}

const inFlight = (webhooks: LeasedWebhook[]) => webhooks.map((each) => each.inFlight);

Deno.test("the webhooks of one company use at most half of a run's places", () => {
  const webhooks = Array.from({ length: 3 }, () => webhookOf("slow", 50));
  begun(webhooks);
  assert.deepEqual(inFlight(webhooks), [10, 10, 10]);
});

Deno.test("a company without a request in flight begins a request immediately, however many requests of other companies are in flight", () => {
  const slow = ["a", "b", "c"].flatMap((company) =>
    Array.from({ length: 10 }, () => webhookOf(company, 50))
  );
  begun(slow);
  const other = webhookOf("d", 5);
  assert.deepEqual(begun([...slow, other]).map(({ webhook }) => webhook), [other]);
  assert.equal(other.inFlight, 1);
});

Deno.test("a webhook without a request in flight does not wait for the slow receivers of its own company", () => {
  const slow = Array.from({ length: 9 }, () => webhookOf("a", 50));
  begun(slow);
  const other = webhookOf("a", 5);
  begun([...slow, other]);
  assert.equal(other.inFlight, 1);
});

Deno.test("a place that becomes free goes to the webhook with the fewest requests in flight", () => {
  const [first, second, third, other] = ["a", "b", "c", "d"].map((name) => webhookOf(name, 60));
  const ofFirst = begun([first, second, third]).filter(({ webhook }) => webhook === first);
  const webhooks = [first, second, third, other];
  begun(webhooks);
  assert.deepEqual(inFlight(webhooks), [17, 17, 16, 1]);
  // The last places are kept for other companies, so two requests must end before one begins.
  const ended = ofFirst.slice(0, 2).map(({ delivery }) => {
    first.end(delivery, true);
    return begun(webhooks).map(({ webhook }) => webhook);
  });
  assert.deepEqual(ended, [[], [other]]);
});

Deno.test("webhooks without a success use at most two thirds of a run's places", () => {
  const silent = Array.from({ length: 50 }, (_, at) => webhookOf(`${at}`, 4, { isProven: false }));
  begun(silent);
  assert.equal(inFlight(silent).reduce((sum, each) => sum + each), 40);
  const proven = webhookOf("proven", 50);
  begun([...silent, proven]);
  assert.equal(proven.inFlight, 10);
});
