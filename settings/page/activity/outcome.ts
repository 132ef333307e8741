/** What became of requests, as the first digit of their status tells it, from the bottom of a column up. */
export const OUTCOMES = ["succeeded", "refused", "failed"] as const;
export type Outcome = typeof OUTCOMES[number];

/** `refused`: the caller has to change something (4xx). `failed`: the platform did (5xx). */
export function outcomeOf(status: number): Outcome {
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "succeeded";
}
