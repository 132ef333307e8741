import { delay } from "deno-std/async/delay.js";
import {
  failureEvent,
  messageEvent,
  type Pair,
  statusEvent,
  type StatusOf,
  type Written,
} from "./events.ts";
import type { people } from "./people.ts";
import type { Step } from "./stories.ts";
import { type Delivery, type Webhook, webhookCaller } from "./webhook.ts";

/** What the sandbox tells a webhook at once. More would be a load test of the sandbox. */
const MAX_UNDER_WAY = 1000;

export interface TellerOptions {
  /** Where events go; null when nobody wants them. It is asked again for each message. */
  webhook: () => Webhook | null;
  people: ReturnType<typeof people>;
  /** The sandbox's clock, in milliseconds. */
  now: () => number;
  /** What all delays are multiplied by; the times that are told stay as they are. */
  pace: number;
}

/** A message that the sandbox has accepted, and what becomes of it. */
export interface Accepted extends StatusOf {
  acceptedAt: number;
  steps: Step[];
}

/** What came of posting a person's message. */
export type Posted =
  | { isPosted: true; status: 200 }
  | { isPosted: false; status: number | null; reason: string };

/** Tells the webhook what becomes of messages, and what people write. */
export function storyTeller({ webhook, people, now, pace }: TellerOptions) {
  const ending = new AbortController();
  const underWay = new Set<Promise<void>>();
  const callers = new Map<string, ReturnType<typeof webhookCaller>>();
  let dropped = 0;

  const callerOf = (target: Webhook) => {
    const key = JSON.stringify(target);
    const caller = callers.get(key) ?? webhookCaller(target, pace, ending.signal);
    callers.set(key, caller);
    return caller;
  };

  /** Whether there is room for more. What is dropped is said once for a crowd, and counted when it is over. */
  const hasRoom = () => {
    if (underWay.size < MAX_UNDER_WAY) return true;
    if (dropped++ === 0) {
      console.warn(
        `The sandbox tells the webhook of ${MAX_UNDER_WAY} messages at once and drops the others.`,
      );
    }
    return false;
  };

  const keep = (work: Promise<void>) => {
    const kept = work.finally(() => {
      underWay.delete(kept);
      if (dropped === 0 || underWay.size > 0 || ending.signal.aborted) return;
      console.warn(`The sandbox has told the webhook nothing of ${dropped} messages.`);
      dropped = 0;
    });
    underWay.add(kept);
  };

  const tell = async ({ deliver }: ReturnType<typeof webhookCaller>, message: Accepted) => {
    const { acceptedAt, steps } = message;
    const deliveries: Delivery[] = [];
    const began = performance.now();
    const at = (after: number) => acceptedAt + after;
    let isPriceTold = false;
    for (const step of steps) {
      const left = step.after * pace - (performance.now() - began);
      if (left > 0) await delay(left, { signal: ending.signal, persistent: false });
      let delivery: Delivery;
      if ("status" in step) {
        const { status, after } = step;
        // The channel tells the price with `sent`, and with the first of the others.
        const tellsPrice = status === "sent" || !isPriceTold;
        isPriceTold ||= status !== "sent";
        delivery = deliver(statusEvent(message, status, { at: at(step.at ?? after), tellsPrice }));
      } else if ("failed" in step) {
        const error = { code: step.failed, details: step.details };
        const facts = { at: at(step.after), tellsMark: !step.withoutMark };
        delivery = deliver(failureEvent(message, error, facts));
      } else {
        const content = { type: "text", text: { body: step.reply } };
        const written = { id: newMessageId(), content, answers: message.id };
        people.wrote(message.person, message.phoneNumberId);
        delivery = deliver(messageEvent(message, written, at(step.after)));
      }
      deliveries.push(delivery);
      // One after the other, so that what is out of order is so on purpose.
      await delivery.first;
    }
    await Promise.all(deliveries.map(({ over }) => over));
  };

  return {
    /** Begins the story of a message, which goes on by itself. */
    begin(message: Accepted) {
      const target = webhook();
      if (target === null || ending.signal.aborted || !hasRoom()) return;
      // Its only error is the end of the sandbox.
      keep(tell(callerOf(target), message).catch(() => {}));
    },

    /** Has a person write, and answers what the webhook said when it was first called. */
    async write(pair: Pair, written: Written): Promise<Posted> {
      people.wrote(pair.person, pair.phoneNumberId);
      const target = webhook();
      if (target === null || ending.signal.aborted || !hasRoom()) {
        const reason = target === null
          ? "The sandbox has no webhook"
          : "The sandbox has too much to tell the webhook; try again later";
        return { isPosted: false, status: null, reason };
      }
      const { first, over } = callerOf(target).deliver(messageEvent(pair, written, now()), true);
      keep(over);
      const status = await first;
      if (status === 200) return { isPosted: true, status };
      const answered = status === null ? "does not answer" : `answers ${status}`;
      const reason = `The webhook ${answered}; the sandbox posts the message again for a while`;
      return { isPosted: false, status, reason };
    },

    /** Resolves when nothing is under way. */
    async told() {
      while (underWay.size > 0) await Promise.all(underWay);
    },

    /** Ends all stories and everything that is being posted. */
    async stop() {
      ending.abort();
      await Promise.all(underWay);
    },
  };
}

/** A new id of a message on the channel. */
export function newMessageId(): string {
  return `wamid.sandbox.${crypto.randomUUID()}`;
}
