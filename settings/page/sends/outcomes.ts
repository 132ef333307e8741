import type { Fill } from "../activity/plot.ts";
import type { Tone } from "../pieces/badge.ts";

/**
 * What happened to a send, in the words of the database (app.outcome_of_send). In a column of the
 * chart, the first one is at the bottom.
 */
export const OUTCOMES = [
  ...["read", "delivered", "accepted", "pending"] as const,
  ...["released", "refused", "expired", "failed"] as const,
];
export type Outcome = typeof OUTCOMES[number];

/** The outcomes that have a reason. */
export const WITH_REASON: readonly Outcome[] = ["failed", "refused", "released"];

export const TONES: Record<Outcome, Tone> = {
  read: "good",
  delivered: "good",
  accepted: "quiet",
  pending: "quiet",
  released: "warn",
  refused: "bad",
  expired: "warn",
  failed: "bad",
};

/** No two outcomes have the same colour and pattern. */
export const FILLS: Record<Outcome, Fill> = {
  read: "plain",
  delivered: "striped",
  accepted: "plain",
  pending: "dotted",
  released: "striped",
  refused: "barred",
  expired: "dotted",
  failed: "barred",
};

export function isOutcome(word: string): word is Outcome {
  return OUTCOMES.some((outcome) => outcome === word);
}
