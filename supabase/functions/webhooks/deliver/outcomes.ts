import { pauseUntilEnd } from "../../_shared/background.ts";
import type { CpuTime } from "./cpu_time.ts";
import { DATABASE_PAUSE_MS, type DeliveryDatabase } from "./database.ts";
import type { Attempt, Delivery, Outcome, SettledWebhook } from "./delivery.ts";

/**
 * If outcomes cannot be stored within this time, the run discards them, because another run may
 * have leased the webhooks by then.
 */
const SETTLE_MS = 40_000;

/** The outcome of an attempt that has just ended. */
export function outcomeOf(
  { webhook_id, record_id, seq, attempts }: Delivery,
  { url, result, try: attempt }: Attempt,
): Outcome {
  return {
    ...{ webhook_id, record_id, seq, attempts },
    ended_at: new Date().toISOString(),
    result: result.kind,
    wait_seconds: result.kind === "later" ? result.waitSeconds : null,
    url: result.kind === "delivered" ? null : url,
    try: attempt,
  };
}

/**
 * Stores outcomes, and repeats a statement that fails. Returns the webhooks' states by id. A
 * webhook is missing if it is leased by another run, if it was deleted, or if its outcomes were
 * discarded.
 *
 * @param failed is called after each statement that fails.
 */
export async function storeOutcomes(
  outcomes: Outcome[],
  db: DeliveryDatabase,
  cpu: CpuTime,
  failed: (error: unknown) => void,
): Promise<Map<string, SettledWebhook>> {
  const untilMs = performance.now() + SETTLE_MS;
  while (performance.now() < untilMs) {
    try {
      cpu.statements++;
      const settled = await db.settle(outcomes);
      return new Map(settled.map((each) => [each.id, each]));
    } catch (error) {
      failed(error);
      await pauseUntilEnd(DATABASE_PAUSE_MS);
    }
  }
  return new Map();
}
