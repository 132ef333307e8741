const FIRST = 50;
const LAST = 29;

/**
 * Shortens an address for a list or a sentence. A webhook's address may have 2,048 characters,
 * which would fill the screen of a phone.
 */
export function shortAddress(address: string): string {
  return address.length > FIRST + LAST + 1
    ? `${address.slice(0, FIRST)}…${address.slice(-LAST)}`
    : address;
}
