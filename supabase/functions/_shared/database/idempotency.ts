/**
 * What identifies a request with an Idempotency-Key. Database functions that write accept it as the
 * argument `idempotency`, and claim the key with `app.claim_idempotency_key()`.
 */
export type Idempotency = {
  /** Requests to different paths may have the same key. */
  path: string;
  key: string;
  /** A hash of the request's content. */
  fingerprint: string;
};
