/** What this instance has learned about keys from database responses, by key hash. */
const knownKeys = new Map<string, KnownKey>();
const MAX_KNOWN = 10_000;

interface KnownKey {
  /** Missing until a database response contains the company. */
  companyId?: string;
  /** When the use of the key was last recorded, in milliseconds since 1970. */
  notedAt?: number;
}

/** What is known about a key; empty for a key that has not been accepted yet. */
export function whatIsKnownOf(keyHash: string): KnownKey {
  return knownKeys.get(keyHash) ?? {};
}

export function remember(keyHash: string, facts: KnownKey) {
  if (knownKeys.size >= MAX_KNOWN) knownKeys.clear();
  knownKeys.set(keyHash, facts);
}

/** Forgets a refused key. Further requests with the key then no longer use its company's share. */
export function forget(keyHash: string) {
  knownKeys.delete(keyHash);
}

/**
 * Whose share a key uses in `FairShare`: the company's id, or the key's hash until the company is
 * known.
 */
export function holderOf(keyHash: string): string {
  return whatIsKnownOf(keyHash).companyId ?? keyHash;
}
