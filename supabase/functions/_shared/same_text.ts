/**
 * Whether two strings are equal. The function compares all bytes of their hashes, so that its
 * duration reveals nothing about the strings.
 */
export async function isSameText(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(one), digest(other)]);
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a[at] ^ b[at];
  return difference === 0;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
