import type { NewApiKey } from "./api_key.ts";

/** The key that was just made, until its page is left. It is nowhere else, and nobody can read it again. */
let made: NewApiKey | null = null;

/** Keeps a new key for its page. */
export function keepMade(key: NewApiKey) {
  made = key;
}

/** The key itself, on its page; null on every other one. */
export function takeMade(id: string): NewApiKey | null {
  const key = made;
  made = null;
  return key?.id === id ? key : null;
}
