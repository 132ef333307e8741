import type { LeasedWebhook } from "./leased_webhook.ts";

/**
 * A place is one of the requests that a run may have in flight. At most this share of the places is
 * for webhooks without a success in this run.
 */
const SHARE_OF_UNPROVEN = 2 / 3;
/**
 * Once a company has this share of the places, its webhooks that already have a request in flight
 * get no further place.
 */
const SHARE_OF_COMPANY = 1 / 2;
/** This share of the places is kept for companies that have no request in flight. */
const SHARE_KEPT = 1 / 6;

/**
 * Gives each free place to the webhook with the fewest requests in flight. If several webhooks have
 * the fewest, the first of these webhooks gets the place.
 *
 * @param most how many requests may be in flight.
 * @param take uses a place for a request of this webhook. Returns false if the webhook has no
 *   request to begin.
 */
export function givePlaces(
  webhooks: readonly LeasedWebhook[],
  most: number,
  take: (webhook: LeasedWebhook) => boolean,
) {
  let [inAll, unproven] = [0, 0];
  const ofCompany = new Map<string, number>();
  const add = ({ companyId, hasSucceeded }: LeasedWebhook, count: number) => {
    inAll += count;
    if (!hasSucceeded) unproven += count;
    ofCompany.set(companyId, (ofCompany.get(companyId) ?? 0) + count);
  };
  for (const webhook of webhooks) add(webhook, webhook.inFlight);
  const mayBegin = (webhook: LeasedWebhook, inFlight: number): boolean => {
    const company = ofCompany.get(webhook.companyId)!;
    if (inFlight > 0 && company >= most * SHARE_OF_COMPANY) return false;
    // A company's slow receivers must not delay the first request of another company.
    const kept = company > 0 ? most * SHARE_KEPT : 0;
    // Receivers that never respond must not use up all the places.
    return inAll < most - kept &&
      (webhook.hasSucceeded || unproven < most * SHARE_OF_UNPROVEN - kept);
  };
  // The webhooks that may want a place, by their number of requests in flight.
  const queues: LeasedWebhook[][] = [];
  for (const webhook of webhooks) (queues[webhook.inFlight] ??= []).push(webhook);
  // No request ends during this loop. So a webhook that cannot use a place now is not tried again.
  for (let inFlight = 0; inFlight < queues.length; inFlight++) {
    for (const webhook of queues[inFlight] ?? []) {
      if (!mayBegin(webhook, inFlight) || !take(webhook)) continue;
      add(webhook, 1);
      (queues[inFlight + 1] ??= []).push(webhook);
    }
  }
}
