// A webhook's deliveries, as the Data API returns them.
import type { App } from "../app.ts";
import { answered } from "../failure.ts";
import type { Tone } from "../pieces/badge.ts";
import type { Step } from "../pieces/timeline.ts";
import type { DeliveriesTexts } from "../texts/en/deliveries.ts";
import { html, nothing } from "lit-html";

export const STATES = ["waiting", "delivered", "failed", "undelivered"] as const;

/** One event for a webhook, and the attempts to deliver it. */
export interface Delivery {
  event_id: string;
  type: string;
  record_id: string;
  /** The time of the event. */
  timestamp: string;
  state: typeof STATES[number];
  attempts: number;
  next_attempt_at: string | null;
  ended_at: string | null;
  /** The attempts, the earliest first. */
  tries: Try[];
}

interface Try {
  at: string;
  /** The status of the response; null when there was none. */
  status: number | null;
  /** The reason for a missing response, in one word. */
  failure: string | null;
  ms: number;
  /** The first characters of an unsuccessful response. */
  answer: string | null;
}

/** A position in the log. */
export interface Place {
  event_id: string;
  ended_at: string | null;
}

export interface Page {
  data: Delivery[];
  /** The position after which the next page begins; null at the end. */
  next: Place | null;
}

/** A page of the log, the newest event first. */
export async function deliveriesOf(
  { project: { client } }: App,
  webhook_id: string,
  { state, type, after, most = 50 }: {
    state?: string | null;
    type?: string | null;
    after?: Place | null;
    most?: number;
  },
): Promise<Page> {
  return await answered<Page>(
    client.rpc("webhook_deliveries", {
      ...{ webhook_id, state: state ?? null, type: type ?? null, max_rows: most },
      after_event: after?.event_id ?? null,
      after_ended: after?.ended_at ?? null,
    }),
  );
}

const TONES: Record<Delivery["state"], Tone> = {
  ...{ waiting: "quiet", delivered: "good", failed: "bad", undelivered: "bad" },
};

/**
 * The state of a delivery in a word. A delivery that waits after a failed attempt is shown as a
 * warning.
 */
export function stateOf(
  { state, tries }: Delivery,
  t: DeliveriesTexts,
): { tone: Tone; words: string } {
  if (state === "waiting" && tries.length > 0) return { tone: "warn", words: t.states.retrying };
  return { tone: TONES[state], words: t.states[state] };
}

/** Describes the result of an attempt. */
export function resultOf({ status, failure }: Try, t: DeliveriesTexts): string {
  if (failure !== null) {
    const known: Record<string, string> = t.failures;
    return Object.hasOwn(known, failure) ? known[failure] : t.otherFailure(failure);
  }
  return t.answered(String(status));
}

/** The attempts as the steps of a timeline. */
export function stepsOf({ tries }: Delivery, t: DeliveriesTexts): Step[] {
  return tries.map((each) => {
    const isSuccess = each.failure === null && each.status! >= 200 && each.status! < 300;
    return {
      title: resultOf(each, t),
      at: each.at,
      tone: isSuccess ? "good" : "bad",
      more: html`<span class="hint">${t.took(each.ms)}</span>${
        each.answer ? html`<pre tabindex="0" dir="auto">${each.answer}</pre>` : nothing
      }${isSuccess ? nothing : html`<p>${adviceOf(each, t)}</p>`}`,
    };
  });
}

/** What the user can do about a failed attempt. */
function adviceOf({ status, failure }: Try, { advice }: DeliveriesTexts): string {
  if (failure !== null) {
    return Object.hasOwn(advice, failure) ? advice[failure as keyof typeof advice] : advice.other;
  }
  if (status! >= 300 && status! < 400) return advice.redirect;
  if (status === 401 || status === 403) return advice.signature;
  if (status === 404) return advice.notFound;
  return advice.other;
}
