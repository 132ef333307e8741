/**
 * The values that identify a request with an Idempotency-Key. A database function that writes
 * receives them in its argument `idempotency`, and claims the key with
 * `app.claim_idempotency_key()`.
 */
export type Idempotency = {
  /** Requests to different paths may have the same key. */
  path: string;
  key: string;
  /** A hash of the request's content. */
  fingerprint: string;
};
