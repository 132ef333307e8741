/** What ends the parts of a run, in the order in which they were started. */
export const endings: (() => unknown)[] = [];

let ending: Promise<void> | undefined;

/** Whoever starts something asks first. @throws Error when the run is being ended. */
export function throwIfEnding() {
  if (ending) throw new Error("The run is being ended.");
}

/** Ends everything, the last first, whatever fails; once, however often it is asked for. */
export function endAll(): Promise<void> {
  ending ??= (async () => {
    for (const end of endings.splice(0).reverse()) {
      try {
        await end();
      } catch (error) {
        console.error(error);
      }
    }
  })();
  return ending;
}
