import { Failure } from "./failure.ts";
import type { Part } from "./view.ts";

/** A part or a view whose script is loaded when somebody comes to it. */
export function later(script: () => Promise<Part>): Part {
  let part: Part | null = null;
  let hasFailed = false;
  return {
    async load(app) {
      part ??= await script().catch(async (error) => {
        // A browser may remember that a script did not come, and a new release has other scripts.
        if (hasFailed && await isReachable()) location.reload();
        hasFailed = true;
        throw new Failure("offline", String(error));
      });
      await part.load(app);
    },
    html: (app) => part!.html(app),
  };
}

/** Whether the host of the page answers now. */
async function isReachable(): Promise<boolean> {
  try {
    return (await fetch("config.json", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
