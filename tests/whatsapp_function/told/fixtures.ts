const FOLDER = new URL("../fixtures/", import.meta.url);

/** The base time of the fixtures (T0), in seconds since 1970. */
const T0 = 1795262400;

/**
 * The values that differ between the fixtures and a world, which is a test's own set of companies
 * (world.ts). Because of these values, two worlds in the same database share no rows.
 */
export interface Shift {
  /** The seconds that are added to every time. */
  seconds: number;
  /** Replaces the first 14 digits of each phone number id. */
  numbers: string;
  /** Replaces the first 14 digits of each business account id. */
  businesses: string;
  /** Replaces the first 8 digits of the ids of sends. */
  sends: string;
}

/** A new shift, which moves T0 to two minutes ago. */
export function newShift(): Shift {
  const digits = () => String(1e13 + Math.floor(Math.random() * 9e13));
  return {
    seconds: Math.floor(Date.now() / 1000) - 120 - T0,
    numbers: digits(),
    businesses: digits(),
    sends: crypto.randomUUID().slice(0, 8),
  };
}

/** The text of a fixture with the values of a world. */
function shifted(text: string, { seconds, numbers, businesses, sends }: Shift): string {
  return text
    .replaceAll(/(?<![0-9])179[56][0-9]{6}(?![0-9])/g, (time) => String(Number(time) + seconds))
    .replaceAll("73000000000000", numbers)
    .replaceAll("91000000000000", businesses)
    .replaceAll("5e4d0000-", `${sends}-`);
}

/** The names of all fixtures, in order. */
export const FIXTURES: string[] = [...Deno.readDirSync(FOLDER)]
  .map(({ name }) => name)
  .filter((name) => /^\d/.test(name))
  .sort();

const texts = new Map(FIXTURES.map((name) => [name, Deno.readTextFileSync(new URL(name, FOLDER))]));

/**
 * The body of the fixture whose name begins with this number. Only its times, numbers and ids are
 * shifted.
 */
export function fixture(number: string, shift: Shift): string {
  const name = FIXTURES.find((name) => name.startsWith(`${number}_`));
  if (name === undefined) throw new Error(`There is no fixture ${number}`);
  return shifted(texts.get(name)!, shift);
}

interface Change {
  field: string;
  // deno-lint-ignore no-explicit-any -- what the channel sends
  value: any;
}

/** One item of a body: a status, a message, or a change that has neither. */
export type Piece = { entry: { id: string; time?: number }; change: Change };

/** Splits bodies into their items. */
export function pieces(bodies: string[]): Piece[] {
  return bodies.flatMap((body) =>
    JSON.parse(body).entry.flatMap(({ changes, ...entry }: { changes: Change[]; id: string }) =>
      changes.flatMap((change): Piece[] => {
        const { statuses, messages, ...others } = change.value;
        const items = [
          ...(statuses ?? []).map((status: unknown) => ({ statuses: [status] })),
          ...(messages ?? []).map((message: unknown) => ({ messages: [message] })),
        ];
        if (items.length === 0) return [{ entry, change }];
        return items.map((item) => ({
          entry,
          change: { ...change, value: { ...others, ...item } },
        }));
      })
    )
  );
}

/** Joins several items into one body. */
export function regrouped(group: Piece[]): string {
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: group.map(({ entry, change }) => ({ ...entry, changes: [change] })),
  });
}

/** Returns a list in random order. */
export function shuffled<Item>(items: Item[], random: () => number = Math.random): Item[] {
  const list = [...items];
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
  return list;
}
