import { delay } from "deno-std/async/delay.js";
import { eventBytes, signatureOf } from "./event_bytes.ts";

/** Where an app of the channel takes its events, and the secret by which the channel signs them. */
export interface Webhook {
  url: string;
  secret: string;
}

/** An event that is on its way to the webhook. */
export interface Delivery {
  /** What the webhook answered when it was first called; null without an answer. */
  first: Promise<number | null>;
  /** Resolves when the webhook has taken the event, or the sandbox has given up. */
  over: Promise<void>;
}

/** The channel itself goes on for seven days. */
const RETRIES_AFTER_MS = [1000, 2000, 4000, 8000, 16_000];
const TIMEOUT_MS = 10_000;
/** How many events are posted at once: few, because those who send share the functions and the database. */
const AT_ONCE = 2;

/**
 * Posts signed events to the webhook of an app, and posts again what it does not answer with 200, as the channel
 * does.
 *
 * @param pace what the delays between the attempts are multiplied by.
 * @param ending ends every attempt and every delay.
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
     * Begins to post an event. Neither promise is ever rejected.
     *
     * @param isUrgent somebody waits for the first answer, so it goes before those that wait already.
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
          `The sandbox gave an event up: its webhook ${answered} ` +
            `${RETRIES_AFTER_MS.length + 1} times.`,
        );
      };
      return { first, over: insist() };
    },
  };
}
