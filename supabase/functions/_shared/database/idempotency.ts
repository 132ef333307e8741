/**
 * By what a request with an Idempotency-Key is recognised: the argument `idempotency` of the functions of the database
 * that write, which claim the key by app.claim_idempotency_key().
 */
export type Idempotency = {
  /** Two operations may have the same key. */
  path: string;
  key: string;
  /** A digest of what the request asks for. */
  fingerprint: string;
};
