/** What this instance has learned about keys from the database's answers, by their hashes. */
const knownKeys = new Map<string, KnownKey>();
const MAX_KNOWN = 10_000;

interface KnownKey {
  /** Missing until an answer has named the company. */
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

/** Forgets a refused key: a caller who has it must not use up the share of the key's company. */
export function forget(keyHash: string) {
  knownKeys.delete(keyHash);
}

/**
 * The work of a key counts under this name: the company's id, or the key's hash until the company
 * is known.
 */
export function holderOf(keyHash: string): string {
  return whatIsKnownOf(keyHash).companyId ?? keyHash;
}
