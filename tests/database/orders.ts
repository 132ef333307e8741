/** Every order of some things. */
export function orders<Thing>(things: readonly Thing[]): Thing[][] {
  if (things.length <= 1) return [[...things]];
  return things.flatMap((thing, n) =>
    orders(things.toSpliced(n, 1)).map((others) => [thing, ...others])
  );
}
