// What the rows of the benchmark hold: the same at every run, and ASCII, because autocannon puts answers
// together byte by byte.

export const COMPANIES = 200;
/** The company that has a tenth of everything, and the one that is measured. */
export const LARGE = 0;
/** How many contacts there are for each deal and each conversation. */
export const CONTACTS_PER_DEAL = 2;
export const CONTACTS_PER_CONVERSATION = 4;

/** What a row is made of, from its number alone, so that a row can refer to one that was made before. */
export type Kind = "company" | "account" | "contact" | "deal" | "conversation";

/** 32 bits that look random: the finalizer of MurmurHash3. */
function mixed(text: number, seed: number): number {
  let bits = (text ^ Math.imul(seed + 1, 0x9e3779b1)) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

const SEEDS: Record<Kind, number> = {
  company: 1,
  account: 11,
  contact: 21,
  deal: 31,
  conversation: 41,
};

/** A version 4 UUID, spread over its range as random ones are, so that indexes grow as they do. */
export function idOf(kind: Kind, index: number): string {
  const seed = SEEDS[kind];
  const hex = [1, 2, 3].map((part) => mixed(index, seed + part).toString(16).padStart(8, "0"));
  const [a, b, c] = hex;
  // The number itself, so that no two are the same.
  const tail = index.toString(16).padStart(8, "0");
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${tail}`;
}

/** One contact in ten is the large company's, the others are spread evenly. */
export function companyOf(contact: number): number {
  const turn = mixed(Math.floor(contact / 10), 51) % 10;
  if (contact % 10 === turn) return LARGE;
  return 1 + mixed(contact, 52) % (COMPANIES - 1);
}

/** The contact that a deal or a conversation is with; none has two of the same. */
export function contactOf(index: number, contactsEach: number): number {
  return index * contactsEach + mixed(index, 61) % contactsEach;
}

/** A Brazilian mobile number; no two are the same, and their order says nothing. */
export function phoneOf(contact: number): string {
  return `+55119${String((contact * 61_803_399) % 100_000_000).padStart(8, "0")}`;
}

export function pick<Value>(values: readonly Value[], index: number, seed: number): Value {
  return values[mixed(index, seed) % values.length];
}

const BEGIN_MS = Date.UTC(2025, 0, 1);
const SPAN_MS = 365 * 24 * 3_600_000;

/** A moment of the year 2025; of several rows the later one is the one with the greater share. */
export function momentOf(share: number): string {
  return new Date(BEGIN_MS + share * SPAN_MS).toISOString();
}
