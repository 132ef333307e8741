import type { NewApiKey } from "./api_key.ts";

/**
 * The key that was just created, until the person leaves its page. It is not stored anywhere else,
 * and no one can read it again.
 */
let made: NewApiKey | null = null;

/** Keeps a new key for its page. */
export function keepMade(key: NewApiKey) {
  made = key;
}

/** The key itself, for its page; null for every other page. */
export function takeMade(id: string): NewApiKey | null {
  const key = made;
  made = null;
  return key?.id === id ? key : null;
}
