/** What this instance has learnt of keys from the database's answers, by their hashes. */
const knownKeys = new Map<string, KnownKey>();
const MAX_KNOWN = 10_000;

interface KnownKey {
  /** Missing while no answer has told it. */
  companyId?: string;
  /** When the use of the key was last noted, in milliseconds since 1970. */
  notedAt?: number;
}

/** What is known of a key; empty for one that has not been accepted yet. */
export function whatIsKnownOf(keyHash: string): KnownKey {
  return knownKeys.get(keyHash) ?? {};
}

export function remember(keyHash: string, facts: KnownKey) {
  if (knownKeys.size >= MAX_KNOWN) knownKeys.clear();
  knownKeys.set(keyHash, facts);
}

/** Forgets a key that was refused: whoever has it must not use up the share of its company. */
export function forget(keyHash: string) {
  knownKeys.delete(keyHash);
}

/** By what the work of one company is counted: its id, or the key as long as its company is not known. */
export function holderOf(keyHash: string): string {
  return whatIsKnownOf(keyHash).companyId ?? keyHash;
}
