import type { LeasedWebhook } from "./leased_webhook.ts";
import { givePlaces } from "./places.ts";

/** The maximum number of unsent deliveries that a run has in memory. */
const MOST_IN_HAND = 600;
/**
 * If the unsent records have this total length, the run reads only deliveries that can begin now.
 * One statement returns at most four megabytes plus one record of each webhook.
 */
const MANY_CHARACTERS = 2_000_000;

/** The deliveries that a run reads next, as arguments of the statement. */
export interface NextRead {
  /** The webhooks whose deliveries are read. */
  webhooks: LeasedWebhook[];
  /** The number of deliveries to read, by webhook. */
  wanted: Record<string, number>;
  /** The records whose deliveries are left out, by webhook. */
  held: Record<string, string[]>;
}

/**
 * Decides which deliveries a run reads next. Returns null while no webhook needs more deliveries.
 *
 * @param most how many requests may be in flight.
 */
export function nextRead(leased: readonly LeasedWebhook[], most: number): NextRead | null {
  const inHand = leased.reduce((sum, { waiting }) => sum + waiting, 0);
  const length = leased.reduce((sum, { waitingCharacters }) => sum + waitingCharacters, 0);
  const room = length < MANY_CHARACTERS ? Math.max(MOST_IN_HAND - inHand, 0) : 0;
  const undrained = leased.filter(({ isDrained, isStopped }) => !isDrained && !isStopped);
  if (undrained.length === 0) return null;
  const mostAhead = Math.floor(room / undrained.length);
  const places = freePlaces(leased, most);
  const [wanted, held]: [NextRead["wanted"], NextRead["held"]] = [{}, {}];
  const webhooks = undrained.filter((webhook) => {
    const count = webhook.wanted(places.get(webhook) ?? 0, mostAhead);
    if (count === 0) return false;
    wanted[webhook.id] = count;
    held[webhook.id] = webhook.held();
    return true;
  });
  return webhooks.length > 0 ? { webhooks, wanted, held } : null;
}

/** How many requests of each webhook could begin now if all their deliveries were read. */
function freePlaces(leased: readonly LeasedWebhook[], most: number): Map<LeasedWebhook, number> {
  const places = new Map<LeasedWebhook, number>();
  givePlaces(leased, most, (webhook) => {
    const count = (places.get(webhook) ?? 0) + 1;
    if (count > webhook.free) return false;
    places.set(webhook, count);
    return true;
  });
  return places;
}
