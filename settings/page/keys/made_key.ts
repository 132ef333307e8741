import type { NewApiKey } from "./api_key.ts";

/**
 * The key that was just created, until a page takes it with takeMade(). The key is not stored
 * anywhere else, and no one can read it again.
 */
let made: NewApiKey | null = null;

/** Keeps a new key for its page. */
export function keepMade(key: NewApiKey) {
  made = key;
}

/** The new key with its secret value, for the key's own page; null for every other page. */
export function takeMade(id: string): NewApiKey | null {
  const key = made;
  made = null;
  return key?.id === id ? key : null;
}
