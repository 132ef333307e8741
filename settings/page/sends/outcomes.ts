import type { Fill } from "../activity/plot.ts";
import type { Tone } from "../pieces/badge.ts";

/**
 * The outcome of a send, as the database names it (`app.outcome_of_send`). In a column of the
 * chart, the first outcome is at the bottom.
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

/** Each outcome has its own combination of colour and pattern. */
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
