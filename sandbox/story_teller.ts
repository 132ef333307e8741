import { delay } from "deno-std/async/delay.js";
import type { Conversations } from "./chat/conversations.ts";
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

/**
 * The maximum number of messages on which the sandbox reports at the same time. The sandbox is not
 * made for load tests.
 */
const MAX_UNDER_WAY = 1000;

export interface TellerOptions {
  /**
   * Returns the webhook for the events; null when there is no webhook. The sandbox calls this
   * function for each message.
   */
  webhook: () => Webhook | null;
  people: ReturnType<typeof people>;
  conversations: Conversations;
  /** The sandbox's clock, in milliseconds. */
  now: () => number;
  /** The factor for all delays. The reported times do not change. */
  pace: number;
}

/** A message that the sandbox has accepted, and its story. */
export interface Accepted extends StatusOf {
  acceptedAt: number;
  steps: Step[];
}

/** The result of posting a person's message. */
export type Posted =
  | { isPosted: true; status: 200 }
  | { isPosted: false; status: number | null; reason: string };

/** Reports to the webhook what happens to messages, and what people write. */
export function storyTeller({ webhook, people, conversations, now, pace }: TellerOptions) {
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

  /**
   * Whether the sandbox can report on one more message. If it cannot, the message is dropped, and
   * the sandbox logs a warning for the first dropped message. When no report is in progress any
   * longer, keep() logs how many messages were dropped.
   */
  const hasRoom = () => {
    if (underWay.size < MAX_UNDER_WAY) return true;
    if (dropped++ === 0) {
      console.warn(
        `The sandbox reports on ${MAX_UNDER_WAY} messages at the same time and drops the others.`,
      );
    }
    return false;
  };

  const note = (pair: Pair, written: Written, at: number) => {
    people.wrote(pair.person, pair.phoneNumberId, at);
    conversations.wrote(pair, written, at);
  };

  const keep = (work: Promise<void>) => {
    const kept = work.finally(() => {
      underWay.delete(kept);
      if (dropped === 0 || underWay.size > 0 || ending.signal.aborted) return;
      console.warn(`The sandbox has not reported on ${dropped} messages.`);
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
        // The channel reports the price with `sent`, and with the first of the other statuses.
        const tellsPrice = status === "sent" || !isPriceTold;
        isPriceTold ||= status !== "sent";
        conversations.reported(message.id, status);
        delivery = deliver(statusEvent(message, status, { at: at(step.at ?? after), tellsPrice }));
      } else if ("failed" in step) {
        const error = { code: step.failed, details: step.details };
        const facts = { at: at(step.after), tellsMark: !step.withoutMark };
        conversations.reported(message.id, { failed: step.failed });
        delivery = deliver(failureEvent(message, error, facts));
      } else {
        const content = { type: "text", text: { body: step.reply } };
        const written = { id: newMessageId(), content, answers: message.id };
        note(message, written, now());
        delivery = deliver(messageEvent(message, written, at(step.after)));
      }
      deliveries.push(delivery);
      // Events are posted one after the other, so that they are out of order only when a story says
      // so.
      await delivery.first;
    }
    await Promise.all(deliveries.map(({ over }) => over));
  };

  return {
    /** Begins the story of a message. The story continues in the background. */
    begin(message: Accepted) {
      const target = webhook();
      if (target === null || ending.signal.aborted || !hasRoom()) return;
      // A story fails only because the sandbox is ending, so its error is ignored.
      keep(tell(callerOf(target), message).catch(() => {}));
    },

    /**
     * Posts a message that a person writes, and returns the result of the first attempt.
     *
     * @param at when the person wrote it, in milliseconds.
     */
    async write(pair: Pair, written: Written, at: number): Promise<Posted> {
      note(pair, written, at);
      const target = webhook();
      if (target === null || ending.signal.aborted || !hasRoom()) {
        const reason = target === null
          ? "The sandbox has no webhook"
          : "The sandbox has too many events for the webhook; try again later";
        return { isPosted: false, status: null, reason };
      }
      const { first, over } = callerOf(target).deliver(messageEvent(pair, written, at), true);
      keep(over);
      const status = await first;
      if (status === 200) return { isPosted: true, status };
      const answered = status === null ? "does not answer" : `answers ${status}`;
      const reason = `The webhook ${answered}; the sandbox posts the message again for a while`;
      return { isPosted: false, status, reason };
    },

    /** Resolves when no story and no post is in progress. */
    async told() {
      while (underWay.size > 0) await Promise.all(underWay);
    },

    /** Stops all stories and all posts. */
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
