import { delay } from "deno-std/async/delay.js";
import { eventBytes, signatureOf } from "./event_bytes.ts";

/** The URL that receives an app's events, and the secret that signs them. */
export interface Webhook {
  url: string;
  secret: string;
}

/** An event that is being posted to the webhook. */
export interface Delivery {
  /** The status of the webhook's response to the first attempt; null without a response. */
  first: Promise<number | null>;
  /** Resolves when the webhook has accepted the event, or the sandbox has given up. */
  over: Promise<void>;
}

/**
 * The delays before further attempts. After the last of these attempts, the sandbox gives up. The
 * channel itself continues for seven days.
 */
const RETRIES_AFTER_MS = [1000, 2000, 4000, 8000, 16_000];
const TIMEOUT_MS = 10_000;
/**
 * The number of events that are posted at the same time. The number is small, because sends use the
 * same functions and database.
 */
const AT_ONCE = 2;

/**
 * Posts signed events to an app's webhook. Like the channel, the sandbox posts an event again if
 * the webhook does not return a 200.
 * @param pace the factor by which the delays between attempts are multiplied.
 * @param ending a signal that ends all attempts and delays.
 */
export function webhookCaller(webhook: Webhook, pace: number, ending: AbortSignal) {
  let free = AT_ONCE;
  const waiting: (() => void)[] = [];

  const call = async (
    body: Uint8Array<ArrayBuffer>,
    signature: string,
    isUrgent = false,
  ): Promise<number | null> => {
    if (free > 0) free--;
    else {
      await new Promise<void>((resolve) =>
        isUrgent ? waiting.unshift(resolve) : waiting.push(resolve)
      );
    }
    try {
      ending.throwIfAborted();
      const answer = await fetch(webhook.url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Hub-Signature-256": signature },
        body,
        redirect: "manual",
        signal: AbortSignal.any([ending, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await answer.body?.cancel();
      return answer.status;
    } catch {
      return null;
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };

  return {
    /**
     * Begins to post an event. The promises in the result never reject.
     *
     * @param isUrgent whether someone waits for the first response. An urgent event is posted
     *   before the waiting events.
     */
    deliver(event: unknown, isUrgent = false): Delivery {
      const body = eventBytes(event);
      const signing = signatureOf(body, webhook.secret);
      const first = signing.then((signature) => call(body, signature, isUrgent));
      const insist = async () => {
        let status = await first;
        for (const after of RETRIES_AFTER_MS) {
          if (status === 200 || ending.aborted) return;
          await delay(after * pace, { signal: ending, persistent: false }).catch(() => {});
          status = await call(body, await signing);
        }
        if (status === 200 || ending.aborted) return;
        const answered = status === null ? "gave no answer" : `answered ${status}`;
        console.warn(
          `The sandbox no longer posts an event: its webhook ${answered} ${
            RETRIES_AFTER_MS.length + 1
          } ` +
            "times.",
        );
      };
      return { first, over: insist() };
    },
  };
}
