/**
 * The outcomes of requests, by the first digit of their status. In a column, the first outcome is
 * at the bottom.
 */
export const OUTCOMES = ["succeeded", "refused", "failed"] as const;
export type Outcome = typeof OUTCOMES[number];

/**
 * `refused`: the caller must change something (4xx). `failed`: the platform must change something
 * (5xx).
 */
export function outcomeOf(status: number): Outcome {
  if (status >= 500) return "failed";
  return status >= 400 ? "refused" : "succeeded";
}
